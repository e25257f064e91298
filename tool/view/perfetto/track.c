// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe the tracks of a trace: lanes, when threads ran, and counters.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/util.h"
#include "view/perfetto/parts.h"

/* Numbers of tracks: 0 is the track of the whole trace. */
#define RUNS_TRACKS	(1ULL << 40)
#define COUNTER_TRACKS	(1ULL << 41)
#define PROCESS_TRACKS	(1ULL << 42)

__u64 perfetto_track(__u32 lane)
{
	return 1ULL + lane;
}

__u64 perfetto_runs_track(__u32 lane)
{
	return RUNS_TRACKS + lane;
}

static size_t begin_track(struct perfetto *t, __u64 uuid)
{
	size_t track;

	perfetto_packet(t);
	track = proto_begin(&t->packet, PACKET_TRACK);
	proto_number(&t->packet, TRACK_UUID, uuid);
	return track;
}

static int end_track(struct perfetto *t, size_t track)
{
	proto_end(&t->packet, track);
	return perfetto_write(t);
}

/* The name of a process is that of its first thread. */
static int add_process(struct perfetto *t, const struct tl_lane *desc)
{
	const size_t track = begin_track(t, PROCESS_TRACKS + desc->pid);
	const size_t process = proto_begin(&t->packet, TRACK_PROCESS);

	proto_number(&t->packet, PROCESS_PID, desc->pid);
	proto_string(&t->packet, PROCESS_NAME, desc->name ?: "");
	proto_end(&t->packet, process);
	return end_track(t, track);
}

static void add_thread(struct perfetto *t, const struct tl_lane *desc)
{
	const size_t thread = proto_begin(&t->packet, TRACK_THREAD);

	proto_number(&t->packet, THREAD_PID, desc->pid);
	proto_number(&t->packet, THREAD_TID, desc->tid);
	proto_string(&t->packet, THREAD_NAME, desc->name ?: "");
	proto_end(&t->packet, thread);
}

int perfetto_add_lane(struct perfetto *t, __u32 lane, const struct tl_lane *desc)
{
	const bool thread = desc->kind == TL_LANE_THREAD;
	char cpu[32];
	size_t track;
	int err = 0;

	if (thread && desc->pid == desc->tid)
		err = add_process(t, desc);
	if (err)
		return err;
	track = begin_track(t, perfetto_track(lane));
	snprintf(cpu, sizeof(cpu), "CPU %u", desc->cpu);
	if (thread)
		add_thread(t, desc);
	else if (desc->name && *desc->name)
		proto_string(&t->packet, TRACK_NAME, desc->name);
	else
		proto_string(&t->packet, TRACK_NAME, desc->kind == TL_LANE_CPU ? cpu : t->title);
	return end_track(t, track);
}

int perfetto_add_runs(struct perfetto *t, __u32 lane)
{
	size_t track;

	if (t->lanes[lane].has_runs)
		return 0;
	t->lanes[lane].has_runs = true;
	track = begin_track(t, perfetto_runs_track(lane));
	proto_number(&t->packet, TRACK_PARENT, perfetto_track(lane));
	proto_string(&t->packet, TRACK_NAME, "runs");
	return end_track(t, track);
}

static bool is_same(const void *elements, __u32 value, const void *key)
{
	const struct perfetto_counter *a = elements, *b = key;

	return a[value].lane == b->lane && !strcmp(a[value].what, b->what);
}

int perfetto_add_counter(struct perfetto *t, __u32 lane, const char *what, __u64 *track)
{
	__u64 hash = hash_bytes(hash_string(what), &lane, sizeof(lane));
	struct perfetto_counter c = { lane, (char *)what };
	size_t described;
	__u32 known;

	if (read_map_find(&t->counter_map, &hash, is_same, t->counters, &c, &known)) {
		*track = COUNTER_TRACKS + known;
		return 0;
	}
	if (grow((void **)&t->counters, t->nr_counters, sizeof(c)) ||
	    read_map_set(&t->counter_map, hash, t->nr_counters))
		return -ENOMEM;
	c.what = strdup(what);
	if (!c.what)
		return -ENOMEM;
	*track = COUNTER_TRACKS + t->nr_counters;
	t->counters[t->nr_counters++] = c;
	described = begin_track(t, *track);
	proto_number(&t->packet, TRACK_PARENT, perfetto_track(lane));
	proto_string(&t->packet, TRACK_NAME, what);
	proto_end(&t->packet, proto_begin(&t->packet, TRACK_COUNTER));
	return end_track(t, described);
}
