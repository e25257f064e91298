// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of streams with COMPRESSED records: tool/stream/pack.c, and how tool/stream/write.c uses
 * this file.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "stream/read.h"
#include "stream/records.h"
#include "stream/write.h"

#define SAMPLES		20000
#define AUX_BYTES	100000
#define PARTS		4096

struct sample {
	struct perf_event_header h;
	__u64 id;
	__u64 nr;
	__u64 data[(REC_SIZE_MAX - 24) / 8];
};

/* What a reader finds in a file */
struct seen {
	__u64 samples, aux, rounds;
	__u64 packed;		/* samples in COMPRESSED records */
	__u64 nr_parts;
	size_t part[PARTS];	/* where the records of the file end */
	__u64 before[PARTS];	/* samples up to there */
	bool wrong;		/* a record is not the next one that was written */
};

FIXTURE(pack)
{
	int fd;
	struct stream s;
	__u8 *data;		/* what the file contains */
	size_t size;
	struct sample sample;
	struct seen seen;
	__u8 aux[AUX_BYTES];
};

FIXTURE_VARIANT(pack)
{
	bool noise;		/* zstd cannot compress the samples */
};

FIXTURE_VARIANT_ADD(pack, plain) { .noise = false };
FIXTURE_VARIANT_ADD(pack, noise) { .noise = true };

static __u64 noise(__u64 *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 11 ^ *seed << 21;
}

FIXTURE_SETUP(pack)
{
	struct diag d = { "" };
	__u64 seed = 1;
	size_t i;

	memset(self, 0, sizeof(*self));
	for (i = 0; i < AUX_BYTES; i++)
		self->aux[i] = noise(&seed);
	self->fd = memfd_create("stream", MFD_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->s = (struct stream){ .fd = -1 };
	ASSERT_EQ(0, stream_open_fd(&self->s, dup(self->fd), &d));
	ASSERT_EQ(0, stream_pack(&self->s, 1, &d));
}

FIXTURE_TEARDOWN(pack)
{
	if (self->s.fd >= 0)
		stream_close(&self->s);
	close(self->fd);
	free(self->data);
}

/* The size of sample @nr: mostly small, at times the largest that there is */
static size_t size_of(__u64 nr)
{
	if (nr % 997 == 5)
		return REC_SIZE_MAX;
	return 24 + 8 * (nr * 2654435761U % 40);
}

static const struct sample *make(FIXTURE_DATA(pack) *self, __u64 nr, bool noisy)
{
	struct sample *sample = &self->sample;
	const size_t size = size_of(nr);
	__u64 seed = nr;
	size_t i;

	sample->h = (struct perf_event_header){ PERF_RECORD_SAMPLE, 0, size };
	sample->id = 1;
	sample->nr = nr;
	for (i = 0; i < (size - 24) / 8; i++)
		sample->data[i] = noisy ? noise(&seed) : nr;
	return sample;
}

static int put_sample(FIXTURE_DATA(pack) *self, __u64 nr, bool noisy)
{
	const struct sample *sample = make(self, nr, noisy);

	/* Raw data that auxrec puts into a sample comes apart from its head. */
	if (nr % 3 || size_of(nr) < 40 || size_of(nr) == REC_SIZE_MAX)
		return stream_record(&self->s, sample);
	return stream_record_data(&self->s, sample, 32, (const __u8 *)sample + 32,
				  sample->h.size - 32, 0);
}

/* Write samples, with rounds and AUX data in between. */
static int put_all(FIXTURE_DATA(pack) *self, bool noisy)
{
	const struct perf_event_header round = { REC_FINISHED_ROUND, 0, sizeof(round) };
	const struct rec_auxtrace aux = {
		.header = { REC_AUXTRACE, 0, sizeof(aux) }, .size = AUX_BYTES,
	};
	int err = 0;
	__u64 i;

	for (i = 0; !err && i < SAMPLES; i++) {
		err = put_sample(self, i, noisy);
		if (!err && i % (SAMPLES / 4) == 7)
			err = stream_record_data(&self->s, &aux, sizeof(aux), self->aux,
						 AUX_BYTES, 0);
		if (!err && i % 1000 == 999)
			err = stream_record(&self->s, &round) ?: stream_flush(&self->s);
	}
	return err;
}

static bool load(FIXTURE_DATA(pack) *self)
{
	struct stat st;

	if (fstat(self->fd, &st))
		return false;
	self->size = st.st_size;
	self->data = realloc(self->data, self->size + 1);
	return self->data && pread(self->fd, self->data, self->size, 0) == st.st_size;
}

struct memory {
	const __u8 *at;
	size_t left;
};

static ssize_t fill(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;

	if (len > m->left)
		len = m->left;
	memcpy(buf, m->at, len);
	m->at += len;
	m->left -= len;
	return len;
}

static void see_blob(FIXTURE_DATA(pack) *self, struct read_stream *s)
{
	static __u8 blob[AUX_BYTES];

	self->seen.aux++;
	if (read_blob(s, blob, AUX_BYTES) != AUX_BYTES || memcmp(blob, self->aux, AUX_BYTES))
		self->seen.wrong = true;
}

static void see(FIXTURE_DATA(pack) *self, struct read_stream *s, const struct read_record *rec,
		bool noisy)
{
	struct seen *seen = &self->seen;

	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		seen->wrong |= rec->size != size_of(seen->samples) ||
			       memcmp(rec->hdr, make(self, seen->samples, noisy), rec->size);
		seen->samples++;
		seen->packed += rec->inner;
		break;
	case REC_AUXTRACE:
		see_blob(self, s);
		break;
	case REC_FINISHED_ROUND:
		seen->wrong |= rec->inner;
		seen->rounds++;
		break;
	default:
		seen->wrong |= rec->type != REC_COMPRESSED;
	}
}

/* A record of the file begins here, or the file ends: note it. */
static void see_part(struct seen *seen, size_t at)
{
	if (seen->nr_parts < PARTS) {
		seen->part[seen->nr_parts] = at;
		seen->before[seen->nr_parts++] = seen->samples;
	}
}

/* Read the first @size bytes of the file. */
static int read_all(FIXTURE_DATA(pack) *self, size_t size, bool noisy)
{
	struct memory m = { self->data, size };
	struct read_stream *s = read_open(fill, &m);
	struct read_record rec;
	int rc = s ? read_header(s) : -ENOMEM;
	bool inside = false;

	self->seen = (struct seen){ .samples = 0 };
	while (rc > 0) {
		rc = read_next(s, &rec);
		/* perf's buffer has to hold what is in a COMPRESSED record. */
		if (inside && (rc <= 0 || !rec.inner)) {
			self->seen.wrong |= read_inflated(s) > PACK_ROOM;
			inside = false;
		}
		if (rc > 0 && !rec.inner)
			see_part(&self->seen, rec.offset);
		if (rc > 0)
			see(self, s, &rec, noisy);
		if (rc > 0 && rec.type == REC_COMPRESSED) {
			rc = read_inflate(s) ?: 1;
			inside = true;
		}
	}
	see_part(&self->seen, size);
	read_close(s);
	return rc;
}

TEST_F(pack, whole)
{
	ASSERT_EQ(0, put_all(self, variant->noise));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	ASSERT_EQ(0, read_all(self, self->size, variant->noise));
	EXPECT_EQ(SAMPLES, self->seen.samples);
	EXPECT_EQ(SAMPLES / 1000, self->seen.rounds);
	EXPECT_EQ(4, self->seen.aux);
	EXPECT_FALSE(self->seen.wrong);
	/* The largest samples stay as they are. */
	EXPECT_EQ(SAMPLES - (SAMPLES - 5 + 996) / 997, self->seen.packed);
	EXPECT_EQ(SAMPLES, self->s.samples);
	if (!variant->noise)
		EXPECT_LT(self->s.packed_size, self->s.packed / 4);
}

/* Each prefix that ends with a record of the file is a valid stream. */
TEST_F(pack, cut)
{
	static struct seen whole;
	__u64 i;

	ASSERT_EQ(0, put_all(self, variant->noise));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	ASSERT_EQ(0, read_all(self, self->size, variant->noise));
	whole = self->seen;
	ASSERT_LT(50, whole.nr_parts);
	for (i = 0; i < whole.nr_parts; i += whole.nr_parts / 40) {
		EXPECT_EQ(0, read_all(self, whole.part[i], variant->noise));
		EXPECT_EQ(whole.before[i], self->seen.samples);
		EXPECT_FALSE(self->seen.wrong);
	}
}

/* If the file cannot grow, it ends with a whole record, and the lost samples are counted. */
TEST_F(pack, full)
{
	struct rlimit limit;
	__u64 put = 0;

	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
	limit.rlim_cur = 700001;
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
	for (; put < 100 * SAMPLES; put++)
		if (put_sample(self, put, variant->noise))
			break;
	EXPECT_EQ(-EFBIG, self->s.err);
	EXPECT_EQ(-EFBIG, stream_flush(&self->s));
	EXPECT_EQ(put, self->s.samples);
	ASSERT_TRUE(load(self));
	EXPECT_EQ(self->s.bytes, self->size);
	EXPECT_EQ(0, read_all(self, self->size, variant->noise));
	EXPECT_FALSE(self->seen.wrong);
	EXPECT_LT(0, self->seen.samples);
	EXPECT_EQ(put, self->seen.samples + self->s.lost_samples);
}

/* Two files of one recording: each can be decompressed alone. */
TEST_F(pack, next)
{
	const int first = self->fd, second = memfd_create("second", MFD_CLOEXEC);
	__u64 i;

	ASSERT_LE(0, second);
	for (i = 0; i < 900; i++)
		ASSERT_EQ(0, put_sample(self, i, variant->noise));
	ASSERT_EQ(0, stream_next(&self->s, dup(second)));
	for (i = 0; i < 500; i++)
		ASSERT_EQ(0, put_sample(self, i, variant->noise));
	ASSERT_EQ(0, stream_close(&self->s));
	ASSERT_TRUE(load(self));
	EXPECT_EQ(0, read_all(self, self->size, variant->noise));
	EXPECT_EQ(900, self->seen.samples);
	self->fd = second;
	ASSERT_TRUE(load(self));
	EXPECT_EQ(0, read_all(self, self->size, variant->noise));
	EXPECT_EQ(500, self->seen.samples);
	EXPECT_FALSE(self->seen.wrong);
	close(first);
}

TEST_HARNESS_MAIN
