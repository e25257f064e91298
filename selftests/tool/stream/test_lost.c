// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/stream/write.c: how many samples were lost when writing the stream fails.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "stream/records.h"
#include "stream/write.h"

#define GIB	(1UL << 30)

FIXTURE(lost)
{
	struct stream s;
	void *zeros;	/* GIB bytes, which take no memory */
	int full;
};

FIXTURE_VARIANT(lost)
{
	unsigned int gib;	/* AUX data between the last sample and the failure */
};

FIXTURE_VARIANT_ADD(lost, none) { .gib = 0 };
FIXTURE_VARIANT_ADD(lost, one_gib) { .gib = 1 };
FIXTURE_VARIANT_ADD(lost, three_gib) { .gib = 3 };
FIXTURE_VARIANT_ADD(lost, five_gib) { .gib = 5 };

FIXTURE_SETUP(lost)
{
	struct diag d = { "" };
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	self->full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, self->full);
	self->zeros = mmap(NULL, GIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			   -1, 0);
	ASSERT_NE(MAP_FAILED, self->zeros);
	self->s = (struct stream){ .fd = -1 };
	ASSERT_EQ(0, stream_open_fd(&self->s, null, &d));
}

FIXTURE_TEARDOWN(lost)
{
	stream_close(&self->s);
	close(self->full);
	munmap(self->zeros, GIB);
}

static int sample(struct stream *s)
{
	const struct {
		struct perf_event_header h;
		__u64 id;
	} rec = { { PERF_RECORD_SAMPLE, 0, sizeof(rec) }, 1 };

	return stream_record(s, &rec);
}

static int aux(struct stream *s, const void *data, size_t len)
{
	const struct rec_auxtrace rec = {
		.header = { REC_AUXTRACE, 0, sizeof(rec) },
		.size = len,
	};

	return stream_record_data(s, &rec, sizeof(rec), data, len, 0) ?: stream_flush(s);
}

/* Only samples that end after the bytes that the output took are lost. */
TEST_F(lost, samples)
{
	unsigned int i;

	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, sample(&self->s));
	ASSERT_EQ(0, stream_flush(&self->s));
	for (i = 0; i < variant->gib; i++)
		ASSERT_EQ(0, aux(&self->s, self->zeros, GIB));
	ASSERT_LE(0, dup2(self->full, self->s.fd));
	EXPECT_EQ(-ENOSPC, aux(&self->s, self->zeros, 4096));
	EXPECT_EQ(0, self->s.lost_samples);
}

TEST_F(lost, samples_that_failed)
{
	unsigned int i;

	ASSERT_EQ(0, sample(&self->s));
	ASSERT_EQ(0, stream_flush(&self->s));
	for (i = 0; i < variant->gib; i++)
		ASSERT_EQ(0, aux(&self->s, self->zeros, GIB));
	ASSERT_LE(0, dup2(self->full, self->s.fd));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, sample(&self->s));
	EXPECT_EQ(-ENOSPC, stream_flush(&self->s));
	EXPECT_EQ(3, self->s.lost_samples);
}

TEST_HARNESS_MAIN
