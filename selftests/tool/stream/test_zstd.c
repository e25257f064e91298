// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of streams that are compressed as a whole: tool/zstd, tool/stream/write_compressed.c, and
 * how tool/stream/read.c reads them, whole, cut and damaged.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "kselftest_harness.h"
#include "stream/read.h"
#include "stream/records.h"
#include "stream/write.h"

#define SAMPLES		120000
#define AUX_BYTES	300000
#define FRAMES_MAX	64
#define FLIPS		300

struct sample {
	struct perf_event_header h;
	__u64 id;
	__u64 nr;
	__u64 noise[2];		/* which zstd cannot compress */
};

static __u64 noise(__u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 11 ^ *seed << 21;
}

FIXTURE(zstd)
{
	int fd;
	struct stream s;
	__u8 *data;		/* what the file contains */
	size_t size;
	size_t ends[FRAMES_MAX];	/* where each frame ends in the file */
	size_t nr_ends;
	__u64 seed;
	__u8 aux[AUX_BYTES];
};

static int begin(struct __test_metadata *_metadata, FIXTURE_DATA(zstd) *self)
{
	struct diag d = { "" };

	self->fd = memfd_create("stream", MFD_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->s = (struct stream){ .fd = -1 };
	ASSERT_EQ(0, stream_open_fd(&self->s, dup(self->fd), &d));
	return stream_compress(&self->s, 1, &d);
}

FIXTURE_SETUP(zstd)
{
	size_t i;

	memset(self, 0, sizeof(*self));
	self->seed = 1;
	for (i = 0; i < AUX_BYTES; i++)
		self->aux[i] = noise(&self->seed);
	ASSERT_EQ(0, begin(_metadata, self));
}

FIXTURE_TEARDOWN(zstd)
{
	if (self->s.fd >= 0)
		stream_close(&self->s);
	close(self->fd);
	free(self->data);
}

static int put_sample(FIXTURE_DATA(zstd) *self, __u64 nr)
{
	const struct sample rec = {
		{ PERF_RECORD_SAMPLE, 0, sizeof(rec) }, 1, nr,
		{ noise(&self->seed), noise(&self->seed) },
	};

	return stream_record(&self->s, &rec);
}

/* Write samples, with AUX data in between. */
static int put_all(FIXTURE_DATA(zstd) *self)
{
	const struct rec_auxtrace aux = {
		.header = { REC_AUXTRACE, 0, sizeof(aux) }, .size = AUX_BYTES,
	};
	int err = 0;
	__u64 i;

	for (i = 0; !err && i < SAMPLES; i++) {
		err = put_sample(self, i);
		if (!err && i % (SAMPLES / 4) == 7)
			err = stream_record_data(&self->s, &aux, sizeof(aux), self->aux,
						 AUX_BYTES, 0);
		if (!err && i % 1000 == 999)
			err = stream_flush(&self->s);
	}
	return err;
}

/* Read the file to @data, and find its frames. */
static bool load(FIXTURE_DATA(zstd) *self)
{
	struct stat st;
	size_t at = 0, n;

	if (fstat(self->fd, &st))
		return false;
	self->size = st.st_size;
	self->data = realloc(self->data, self->size + 1);
	if (!self->data || pread(self->fd, self->data, self->size, 0) != st.st_size)
		return false;
	for (self->nr_ends = 0; at < self->size && self->nr_ends < FRAMES_MAX; at += n) {
		n = ZSTD_findFrameCompressedSize(self->data + at, self->size - at);
		if (ZSTD_isError(n))
			return false;
		self->ends[self->nr_ends++] = at + n;
	}
	return at == self->size;
}

struct memory {
	const __u8 *at;
	size_t left;
	size_t most;		/* bytes of a call */
};

static ssize_t fill(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;

	if (len > m->left)
		len = m->left;
	if (m->most && len > m->most)
		len = m->most;
	memcpy(buf, m->at, len);
	m->at += len;
	m->left -= len;
	return len;
}

struct seen {
	__u64 samples, aux;
	bool wrong;		/* a record is not the next one that was written */
	char problem[READ_PROBLEM_MAX];
};

static void see(FIXTURE_DATA(zstd) *self, struct read_stream *s, const struct read_record *rec,
		struct seen *seen)
{
	static __u8 blob[AUX_BYTES];

	if (rec->type == PERF_RECORD_SAMPLE) {
		const struct sample *sample = (const void *)rec->hdr;

		seen->wrong |= sample->nr != seen->samples++;
	} else if (rec->type == REC_AUXTRACE && rec->blob == AUX_BYTES) {
		if (read_blob(s, blob, AUX_BYTES) != AUX_BYTES)
			return;
		seen->wrong |= memcmp(blob, self->aux, AUX_BYTES);
		seen->aux++;
	} else {
		seen->wrong = true;
	}
}

/* Read the first @size bytes of @data, with at most @most bytes in a piece. */
static int read_all(FIXTURE_DATA(zstd) *self, size_t size, size_t most, struct seen *seen)
{
	struct memory m = { self->data, size, most };
	struct read_stream *s = read_open(fill, &m);
	struct read_record rec;
	int rc = s ? read_header(s) : -ENOMEM;

	*seen = (struct seen){ .samples = 0 };
	while (rc > 0) {
		rc = read_next(s, &rec);
		if (rc > 0)
			see(self, s, &rec, seen);
	}
	if (s && read_problem(s))
		strcpy(seen->problem, read_problem(s));
	read_close(s);
	return rc;
}

TEST_F(zstd, whole)
{
	static const size_t pieces[] = { 0, 1, 3, 4, 5, 4096 };
	struct seen seen;
	size_t i;

	ASSERT_EQ(0, put_all(self));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	/* Frames have some MiB at most. */
	EXPECT_LE(4, self->nr_ends);
	for (i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		ASSERT_EQ(0, read_all(self, self->size, pieces[i], &seen));
		EXPECT_EQ(SAMPLES, seen.samples);
		EXPECT_EQ(4, seen.aux);
		EXPECT_FALSE(seen.wrong);
	}
}

/* A file that is cut loses no frame but the last. */
TEST_F(zstd, cut)
{
	__u64 before = 0;
	struct seen seen;
	size_t i, at = 0;

	ASSERT_EQ(0, put_all(self));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	for (i = 0; i < self->nr_ends; i++) {
		EXPECT_EQ(-ENODATA, read_all(self, at + 4, 0, &seen));
		EXPECT_EQ(before, seen.samples);
		EXPECT_EQ(-ENODATA, read_all(self, self->ends[i] - 1, 0, &seen));
		EXPECT_TRUE(strstr(seen.problem, "the file ends within the zstd frame"))
			TH_LOG("%s", seen.problem);
		EXPECT_LE(before, seen.samples);
		EXPECT_FALSE(seen.wrong);
		EXPECT_EQ(0, read_all(self, self->ends[i], 0, &seen));
		EXPECT_LT(before, seen.samples);
		EXPECT_FALSE(seen.wrong);
		before = seen.samples;
		at = self->ends[i];
	}
	EXPECT_EQ(SAMPLES, before);
}

/* Frames have checksums, so no changed byte is taken for data. */
TEST_F(zstd, flipped)
{
	struct seen seen;
	char frame[80];
	size_t i, k;
	int rc;

	ASSERT_EQ(0, put_all(self));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	for (i = 0; i < FLIPS; i++) {
		const size_t at = 5 + noise(&self->seed) % (self->size - 5);
		const __u8 bit = 1 << noise(&self->seed) % 8;

		self->data[at] ^= bit;
		rc = read_all(self, self->size, 0, &seen);
		self->data[at] ^= bit;
		/* A few bits of a frame's header do not matter, such as the window's size. */
		EXPECT_TRUE(rc < 0 || (!seen.wrong && seen.samples == SAMPLES))
			TH_LOG("byte %zu, bit %x: no error", at, bit);
		for (k = 0; self->ends[k] <= at; k++)
			;
		if (rc != -EPROTO)
			continue;
		snprintf(frame, sizeof(frame), "frame at offset %zu of the file is damaged",
			 k ? self->ends[k - 1] : 0);
		/* If the frame seems to have another end, the next one is not recognised. */
		if (!strstr(seen.problem, "no zstd frame begins"))
			EXPECT_TRUE(strstr(seen.problem, frame))
				TH_LOG("byte %zu: %s, not %s", at, seen.problem, frame);
	}
}

/* A frame that asks for a window of 2 GiB is refused: the window would take that memory. */
TEST_F(zstd, window)
{
	static const __u8 frame[] = { 0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 1, 0, 0 };
	struct seen seen;

	self->data = malloc(sizeof(frame));
	ASSERT_TRUE(self->data);
	memcpy(self->data, frame, sizeof(frame));
	EXPECT_EQ(-EPROTO, read_all(self, sizeof(frame), 0, &seen));
	EXPECT_TRUE(strstr(seen.problem, "needs a window above 128 MiB: use zstdcat --long=31"))
		TH_LOG("%s", seen.problem);
}

/* A frame of zeros without end is no stream, and the reader does not go through all of it. */
TEST_F(zstd, bomb)
{
	const size_t size = 256 << 20;
	void *zeros = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);
	struct memory m;
	struct read_stream *s;

	ASSERT_NE(MAP_FAILED, zeros);
	self->data = malloc(1 << 20);
	ASSERT_TRUE(self->data);
	self->size = ZSTD_compress(self->data, 1 << 20, zeros, size, 1);
	ASSERT_FALSE(ZSTD_isError(self->size));
	m = (struct memory){ self->data, self->size, 16 };
	s = read_open(fill, &m);
	ASSERT_TRUE(s);
	EXPECT_EQ(-EBADMSG, read_header(s));
	EXPECT_TRUE(strstr(read_problem(s), "does not begin with PERFILE2"));
	EXPECT_LT(self->size / 2, m.left);
	read_close(s);
	munmap(zeros, size);
}

/* If the file cannot grow, it ends with a whole frame, and the lost samples are counted. */
TEST_F(zstd, full)
{
	struct rlimit limit;
	struct seen seen;
	__u64 put = 0;

	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = 3 << 20;
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	for (; !self->s.err && put < 100 * SAMPLES; put++)
		if (put_sample(self, put))
			break;
	EXPECT_EQ(-EFBIG, self->s.err);
	EXPECT_EQ(-EFBIG, stream_flush(&self->s));
	ASSERT_TRUE(load(self));
	EXPECT_EQ(self->s.stored, self->size);
	EXPECT_LE(2, self->nr_ends);
	EXPECT_EQ(0, read_all(self, self->size, 0, &seen));
	EXPECT_FALSE(seen.wrong);
	EXPECT_EQ(put, seen.samples + self->s.lost_samples);
	EXPECT_EQ(seen.samples * sizeof(struct sample) + 16, self->s.bytes);
}

/* Two files of one recording: each has frames of its own. */
TEST_F(zstd, next)
{
	const int first = self->fd, second = memfd_create("second", MFD_CLOEXEC);
	struct seen seen;
	__u64 i;

	ASSERT_LE(0, second);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, put_sample(self, i));
	ASSERT_EQ(0, stream_next(&self->s, dup(second)));
	for (i = 0; i < 500; i++)
		ASSERT_EQ(0, put_sample(self, i));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	EXPECT_EQ(0, read_all(self, self->size, 0, &seen));
	EXPECT_EQ(1000, seen.samples);
	self->fd = second;
	ASSERT_TRUE(load(self));
	EXPECT_EQ(0, read_all(self, self->size, 0, &seen));
	EXPECT_EQ(500, seen.samples);
	EXPECT_FALSE(seen.wrong);
	close(first);
}

TEST_HARNESS_MAIN
