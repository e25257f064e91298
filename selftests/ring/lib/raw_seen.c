// SPDX-License-Identifier: GPL-2.0-only
/* What the samples of an event have, see raw_seen.h. */
#include <string.h>

#include "raw_seen.h"

static void seen_data(struct seen *seen, const void *data, uint64_t size)
{
	/*
	 * perf_prepare_sample() pads the data so that data and size together are a
	 * multiple of 8.
	 */
	const uint64_t padded = seen->pad ? ((size + 4 + 7) & ~7ULL) - 4 : size;
	uint64_t n;

	if (seen->check) {
		if (size != seen->size || !seen->check(data, size, &n))
			seen->wrong = "data";
		else if (n && n <= seen->last_n)
			seen->wrong = "order";
		else
			seen->last_n = n;
	}
	if (seen->copy && seen->copied + padded <= seen->room) {
		memcpy(seen->copy + seen->copied, data, size);
		memset(seen->copy + seen->copied + size, 0, padded - size);
		seen->copied += padded;
	}
	seen->bytes += size;
}

void see(void *ctx, const struct raw_sample *sample)
{
	const struct perfaux_frame *frame;
	struct perfaux_reference ref;
	struct seen *seen = ctx;
	const char *wrong;

	seen->samples++;
	if (!raw_is_reference(seen->ring, sample, &ref)) {
		seen->kept++;
		seen_data(seen, sample->raw, sample->raw_size);
		return;
	}
	seen->references++;
	if (ref.cause) {
		seen->lost[ref.cause & 15]++;
		seen->lost_bytes += ref.lost;
		if (ref.length)
			seen->wrong = "lost, and has a length";
		return;
	}
	frame = raw_follow(seen->ring, &ref, &wrong);
	if (!frame) {
		if (wrong)
			seen->wrong = wrong;
		seen->stale++;
		return;
	}
	if (frame->pid != sample->pid || frame->tid != sample->tid)
		seen->wrong = "task";
	else if (frame->cpu != sample->cpu)
		seen->wrong = "cpu";
	else if (frame->cookie != seen->cookie)
		seen->wrong = "cookie";
	else if (frame->time > sample->time + 1000000 ||
		 sample->time > frame->time + 1000000000ULL)
		seen->wrong = "time";
	seen_data(seen, frame->data, frame->length);
}
