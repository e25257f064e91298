// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the header of a region that a crash has left.
 */
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "recover/kept.h"

/* As the module's limits, see PERFAUX_IOC_CREATE */
#define SEGMENTS_MAX	4096
#define SEGMENT_MAX	(64U << 10)
#define SPANS_MAX	65536
#define GAPS_MAX_KEPT	65536

static bool fits(const struct kept *k, __u64 offset, __u64 nr, __u64 each)
{
	/* @nr and @each are below 2^32. */
	return !(offset % 8) && offset <= k->size && nr * each <= k->size - offset;
}

static bool has_sane_numbers(const struct perfaux_kept_header *h)
{
	return h->segment_size && h->segment_size <= SEGMENT_MAX &&
	       !(h->segment_size & (h->segment_size - 1)) && h->segment_size >= 64 &&
	       h->nr_segments && h->nr_segments <= SEGMENTS_MAX &&
	       h->spans_per_segment && h->spans_per_segment <= SPANS_MAX &&
	       h->nr_gaps <= GAPS_MAX_KEPT && h->user_size <= ~0U;
}

static bool parts_fit(const struct kept *k)
{
	const struct perfaux_kept_header *h = &k->head;
	const __u64 nr = h->nr_segments;

	return fits(k, h->segments_offset, nr, sizeof(struct perfaux_segment)) &&
	       fits(k, h->spans_offset, nr * h->spans_per_segment, sizeof(struct perfaux_span)) &&
	       fits(k, h->gaps_offset, h->nr_gaps, sizeof(struct perfaux_gap)) &&
	       fits(k, h->marks_offset, nr + h->nr_gaps, sizeof(__u64)) &&
	       fits(k, h->opens_offset, nr, sizeof(struct perfaux_open)) &&
	       fits(k, h->gap_sums_offset, h->nr_gaps, sizeof(__u64)) &&
	       fits(k, h->tables_offset, 1, sizeof(struct perfaux_control)) &&
	       fits(k, h->user_offset, h->user_size, 1) &&
	       fits(k, h->data_offset, nr, h->segment_size) &&
	       fits(k, h->stop_offset, 1, sizeof(struct perfaux_stop));
}

static void read_stop(struct kept *k)
{
	struct perfaux_stop *stop = &k->stop;

	memcpy(stop, k->region + k->head.stop_offset, sizeof(*stop));
	k->stopped = stop->cause &&
		     stop->sum == perfaux_kept_sum(k->head.key, stop,
						   offsetof(struct perfaux_stop, sum) / 8);
	stop->message[sizeof(stop->message) - 1] = '\0';
}

int kept_check(struct kept *k, const void *region, size_t size, struct diag *d)
{
	struct perfaux_kept_header *h = &k->head;

	*k = (struct kept){ .region = region, .size = size };
	if (size < sizeof(*h))
		return diag(d, -EBADMSG,
			    "%zu bytes are too few for a kept ring: its header has %zu", size,
			    sizeof(*h));
	memcpy(h, region, sizeof(*h));
	if (memcmp(h->magic, PERFAUX_KEPT_MAGIC, sizeof(h->magic)))
		return diag(d, -EBADMSG,
			    "this is not the memory of a kept ring: it does not begin with \"%s\"",
			    PERFAUX_KEPT_MAGIC);
	if (h->size != sizeof(*h) || h->abi != PERFAUX_ABI)
		return diag(d, -EBADMSG,
			    "the kept ring has ABI %u and a header of %u bytes, this auxrec knows ABI %u and %zu bytes: use the auxrec that recorded",
			    h->abi, h->size, PERFAUX_ABI, sizeof(*h));
	if (h->sum != perfaux_kept_sum(0, h, offsetof(struct perfaux_kept_header, sum) / 8))
		return diag(d, -EBADMSG,
			    "the header of the kept ring is damaged: something has written to the memory since the crash");
	if (!has_sane_numbers(h) || !parts_fit(k))
		return diag(d, -EBADMSG,
			    "the header of the kept ring does not fit %zu bytes of memory: a part of the copy is missing, or another program made it",
			    size);
	read_stop(k);
	return 0;
}
