// SPDX-License-Identifier: GPL-2.0-only
/* The check of rawgen's samples and frames, see rawgen_check.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rawgen_check.h"

#define RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define TASK_FILE	"/sys/bus/event_source/devices/rawgen/task"

int rawgen_check_init(struct rawgen_check *check, struct ring *ring)
{
	const uint32_t size = ring->ctl->segment_size;
	uint32_t i;

	memset(check, 0, sizeof(*check));
	check->ring = ring;
	check->copy = malloc(size);
	check->uses = calloc(ring->ctl->nr_segments, sizeof(*check->uses));
	if (!check->copy || !check->uses)
		return -ENOMEM;
	for (i = 0; i < ring->ctl->nr_segments; i++) {
		check->uses[i].followed = calloc(1, size / 64 + 1);
		if (!check->uses[i].followed)
			return -ENOMEM;
	}
	return 0;
}

void rawgen_check_exit(struct rawgen_check *check)
{
	uint32_t i;
	int k;

	for (k = 0; k < check->nr; k++)
		raw_close(&check->source[k].ev);
	for (i = 0; check->uses && i < check->ring->ctl->nr_segments; i++)
		free(check->uses[i].followed);
	free(check->uses);
	free(check->copy);
	check->uses = NULL;
	check->copy = NULL;
	check->nr = 0;
}

int rawgen_open(struct rawgen_source *source, const struct rawgen_config *config,
		pid_t pid, int cpu, size_t size)
{
	const struct perf_event_attr attr = {
		.type = pmu_type("rawgen"),
		.config = config->config,
		.config1 = config->config1,
		.config2 = config->config2,
		.sample_period = 1,
		.read_format = PERF_FORMAT_LOST,
	};

	memset(source, 0, sizeof(*source));
	source->config = *config;
	/*
	 * perf writes a record when it throttles an event. If the main ring has no
	 * room for the record, perf counts it as a lost sample, which it is not.
	 */
	if (file_write(RATE_FILE, "10000000"))
		return -errno;
	return raw_open(&source->ev, &attr, pid, cpu, size);
}

struct rawgen_source *rawgen_add(struct rawgen_check *check,
				 const struct rawgen_config *config, pid_t pid,
				 int cpu, size_t size)
{
	struct rawgen_source *source = &check->source[check->nr];
	int ret = check->nr == RAWGEN_EVENTS ? -ENOSPC :
		  rawgen_open(source, config, pid, cpu, size);

	if (!ret) {
		source->check = check;
		source->cookie = ++check->nr;
		ret = raw_attach(check->ring, source->ev.fd, source->cookie);
	}
	errno = -ret;
	return ret ? NULL : source;
}

static uint64_t read_value(const struct rawgen_source *source, int which)
{
	uint64_t values[2] = { };

	if (read(source->ev.fd, values, sizeof(values)) != sizeof(values))
		return -1ULL;
	return values[which];
}

uint64_t rawgen_written(const struct rawgen_source *source)
{
	return read_value(source, 0);
}

uint64_t rawgen_missed(const struct rawgen_source *source)
{
	return read_value(source, 1);
}

uint64_t rawgen_sum_written(const struct rawgen_check *check)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < check->nr; i++)
		sum += rawgen_written(&check->source[i]);
	return sum;
}

uint64_t rawgen_sum_missed(const struct rawgen_check *check)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < check->nr; i++)
		sum += rawgen_missed(&check->source[i]);
	return sum;
}

int rawgen_task(unsigned int n)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", n);
	return file_write(TASK_FILE, text);
}

static bool is_pattern(const uint8_t *at, uint64_t size, uint64_t key)
{
	uint64_t word, want;
	uint32_t n;

	for (n = 0; size >= sizeof(word); n++, size -= sizeof(word)) {
		memcpy(&word, at + n * sizeof(word), sizeof(word));
		if (word != rawgen_word(key, n))
			return false;
	}
	want = rawgen_word(key, n);
	return !memcmp(at + n * sizeof(word), &want, size);
}

/*
 * The payload is too short for a header: the event has a single context, and no
 * payload may be missing.
 */
static const char *check_short(struct rawgen_source *source, const void *payload,
			       uint64_t size, uint32_t cpu)
{
	uint32_t context = __builtin_ctzll(source->config.config);
	uint64_t key = rawgen_key(source->next[context]++, cpu, context);

	if (size != rawgen_length(source->config.config,
				  source->config.config1, key))
		return "length of a short one";
	return is_pattern(payload, size, key) ? NULL : "bytes of a short one";
}

/* Check the existing part of a payload: only the beginning if it could not be copied. */
static const char *check_part(struct rawgen_source *source, const void *payload,
			      uint64_t size, uint64_t room, uint32_t cpu)
{
	struct rawgen_header h;
	uint64_t key;

	if (size < sizeof(h))
		return check_short(source, payload, size, cpu);
	memcpy(&h, payload, sizeof(h));
	if (h.magic != RAWGEN_MAGIC || h.context >= RAWGEN_CONTEXTS)
		return "magic";
	key = rawgen_key(h.seq, cpu, h.context);
	if (h.cpu != cpu)
		return "cpu in the payload";
	if (h.check != rawgen_check(key, h.length, h.depth))
		return "checksum";
	/* perf pads the data to a multiple of 8, plus 4 bytes. */
	if (h.length != rawgen_length(source->config.config,
				      source->config.config1, key) ||
	    size < h.length || size > h.length + 7)
		return "length";
	if (!(source->config.config & RAWGEN_CONTEXT(h.context)))
		return "context";
	if (h.seq < source->next[h.context])
		return "order";
	source->next[h.context] = h.seq + 1;
	if (h.depth > source->depth[h.context])
		source->depth[h.context] = h.depth;
	if (room > h.length)
		room = h.length;
	return is_pattern((const uint8_t *)payload + sizeof(h),
			  room - sizeof(h), key) ? NULL : "bytes";
}

const char *rawgen_check_payload(struct rawgen_source *source, const void *payload,
				 uint64_t size, uint32_t cpu)
{
	return check_part(source, payload, size, size, cpu);
}

static void wrong(struct rawgen_check *check, const char *what)
{
	if (what && !check->wrong)
		check->wrong = what;
}

/* A sample that contains its payload */
static const char *see_kept(struct rawgen_source *source,
			    const struct raw_sample *sample)
{
	const uint64_t config = source->config.config;
	uint64_t room = sample->raw_size;
	struct rawgen_header h;

	source->kept++;
	if (room < sizeof(h))
		return source->loose ? NULL : "kept a short one";
	memcpy(&h, sample->raw, sizeof(h));
	/* The data that the copy function did not copy is missing. */
	if (rawgen_fails(config, h.seq))
		room = rawgen_first(config, h.seq, h.length);
	else if (!source->loose)
		return "kept without need";
	return check_part(source, sample->raw, sample->raw_size, room,
			  sample->cpu);
}

static const char *follow(struct rawgen_check *check, struct rawgen_source *source,
			  const struct raw_sample *sample,
			  const struct perfaux_reference *ref)
{
	const struct perfaux_frame *frame;
	struct perfaux_frame head;
	struct rawgen_use *use;
	const char *what;
	uint32_t bit = ref->offset / 8;

	frame = raw_follow(check->ring, ref, &what);
	if (frame) {
		head = *frame;
		memcpy(check->copy, frame->data, ref->length);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	}
	/* Check that the segment was not used again during the copy. */
	if (PERFAUX_SEQ(ring_state(check->ring, ref->segment)) !=
	    ref->segment_seq) {
		source->stale++;
		return check->ring->create.flags & PERFAUX_RING_OVERWRITE ?
		       NULL : "stale";
	}
	if (!frame)
		return what;
	if (head.cookie != source->cookie || head.cpu != sample->cpu ||
	    head.pid != sample->pid || head.tid != sample->tid)
		return "frame";
	use = &check->uses[ref->segment];
	if (use->seq != ref->segment_seq) {
		memset(use->followed, 0, check->ring->ctl->segment_size / 64 + 1);
		use->seq = ref->segment_seq;
		use->nr_followed = 0;
	}
	if (use->followed[bit / 8] & 1 << bit % 8)
		return "two references to one frame";
	use->followed[bit / 8] |= 1 << bit % 8;
	use->nr_followed++;
	source->frames++;
	return rawgen_check_payload(source, check->copy, ref->length,
				    sample->cpu);
}

static void see(void *ctx, const struct raw_sample *sample)
{
	struct rawgen_source *source = ctx;
	struct rawgen_check *check = source->check;
	struct perfaux_reference ref;

	source->samples++;
	if (sample->id != source->ev.id) {
		wrong(check, "id");
	} else if (!raw_is_reference(check->ring, sample, &ref)) {
		wrong(check, see_kept(source, sample));
	} else if (ref.cause) {
		source->lost[ref.cause & 15]++;
		source->lost_bytes += ref.lost;
		if (ref.length || !ref.lost)
			wrong(check, "lost, and has a length");
	} else {
		wrong(check, follow(check, source, sample, &ref));
	}
}

int rawgen_read(struct rawgen_check *check)
{
	int i, ret = 0;

	for (i = 0; !ret && i < check->nr; i++)
		ret = raw_read(&check->source[i].ev, see, &check->source[i]);
	return ret;
}

/* Check all frames of a READY segment. */
static const char *retire(struct rawgen_check *check, uint32_t i)
{
	const struct perfaux_segment *seg = &check->ring->segments[i];
	const struct rawgen_use *use = &check->uses[i];
	const uint64_t seq = PERFAUX_SEQ(ring_state(check->ring, i));
	const uint8_t *base = check->ring->data +
			      (size_t)i * check->ring->ctl->segment_size;
	uint64_t at = 0, nr = 0, bytes = 0;

	while (at < seg->used) {
		const struct perfaux_frame *frame = (const void *)(base + at);
		const uint32_t state = PERFAUX_STATE(frame->state);
		const uint32_t bit = at / 8;

		if (PERFAUX_SEQ(frame->state) != seq || frame->segment != i)
			return "not a frame";
		if (state == PERFAUX_FRAME_DISCARDED) {
			check->discarded++;
		} else if (state == PERFAUX_FRAME_COMMITTED) {
			nr++;
			bytes += frame->length;
			if (use->seq != seq ||
			    !(use->followed[bit / 8] & 1 << bit % 8))
				check->orphans++;
		} else {
			return "not ended";
		}
		at += sizeof(*frame) + ((frame->length + 7ULL) & ~7ULL);
	}
	check->frames += nr;
	check->bytes += bytes;
	if (at != seg->used || at != seg->frames_end)
		return "end";
	if (nr != seg->nr_frames || bytes != seg->bytes)
		return "numbers of the segment";
	return NULL;
}

static void give_back(struct rawgen_check *check, uint32_t i, uint64_t seq)
{
	wrong(check, retire(check, i));
	check->uses[i].released = seq;
	__atomic_store_n(&check->ring->marks[i], seq, __ATOMIC_RELEASE);
}

int rawgen_read_ring(struct rawgen_check *check, bool flush, uint32_t flags)
{
	struct ring *ring = check->ring;
	const uint32_t nr = ring->ctl->nr_segments;
	uint64_t ready[nr];
	int ret = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		uint64_t state = ring_state(ring, i);

		ready[i] = 0;
		if (PERFAUX_STATE(state) == PERFAUX_SEG_READY &&
		    ring->segments[i].kind == PERFAUX_KIND_FRAMES &&
		    PERFAUX_SEQ(state) != check->uses[i].released)
			ready[i] = PERFAUX_SEQ(state);
	}
	if (flush)
		ret = ring_flush(ring, flags);
	if (!ret)
		ret = rawgen_read(check);
	for (i = 0; !ret && i < nr; i++) {
		const struct rawgen_use *use = &check->uses[i];

		if (ready[i] && (flush || (use->seq == ready[i] &&
					   use->nr_followed ==
					   ring->segments[i].nr_frames)))
			give_back(check, i, ready[i]);
	}
	return ret;
}

void rawgen_release_again(struct rawgen_check *check)
{
	uint32_t i;

	for (i = 0; i < check->ring->ctl->nr_segments; i++)
		if (check->uses[i].released)
			__atomic_store_n(&check->ring->marks[i],
					 check->uses[i].released,
					 __ATOMIC_RELEASE);
}
