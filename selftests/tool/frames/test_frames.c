// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/ring/raw_frames.c: when samples count as lost, and when segments are given back.
 * The ring is in ordinary memory, and the test plays the kernel's part.
 */
#include <stdlib.h>
#include <string.h>

#include "ring/raw_frames.h"
#include "../../tap.h"

#define NR	3
#define SIZE	65536
#define KEY	0x1234

static struct perfaux_control control = {
	.nr_segments = NR, .segment_size = SIZE, .key = KEY,
};

static struct perfaux_segment segments[NR];
static __u64 marks[NR];
static __u8 data[NR * SIZE] __attribute__((aligned(8)));

static struct rawring ring = {
	.ctl = &control, .segments = segments, .marks = marks, .data = data,
};

/* --- the kernel ------------------------------------------------------------ */

static void begin_use(__u32 i, __u64 seq)
{
	memset(&data[i * SIZE], 0, SIZE);
	segments[i] = (struct perfaux_segment){
		.state = seq << 8 | PERFAUX_SEG_BUSY,
		.kind = PERFAUX_KIND_FRAMES,
	};
}

static struct perfaux_reference add_frame(__u32 i, __u32 length, __u32 flags)
{
	const __u64 seq = PERFAUX_SEQ(segments[i].state);
	const __u32 at = segments[i].frames_end;
	struct perfaux_frame *frame = (void *)&data[i * SIZE + at];

	*frame = (struct perfaux_frame){
		.state = seq << 8 | PERFAUX_FRAME_COMMITTED,
		.length = length, .flags = flags, .segment = i,
	};
	segments[i].frames_end = at + sizeof(*frame) + (length + 7) / 8 * 8;
	return (struct perfaux_reference){
		.key = KEY, .segment_seq = seq, .segment = i, .offset = at,
		.length = length,
	};
}

static void publish(__u32 i)
{
	segments[i].state = PERFAUX_SEQ(segments[i].state) << 8 |
			    PERFAUX_SEG_READY;
}

/* Make a segment HELD, as PERFAUX_IOC_HOLD does. __wrap_ioctl() implements PERFAUX_IOC_UNHOLD. */
static void hold(__u32 i)
{
	segments[i].state = PERFAUX_SEQ(segments[i].state) << 8 | PERFAUX_SEG_HELD;
}

int __wrap_ioctl(int fd, unsigned long request, void *arg);

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	const struct perfaux_unhold *a = arg;

	(void)fd;
	if (request != PERFAUX_IOC_UNHOLD || a->flags ||
	    segments[a->segment].state != (a->seq << 8 | PERFAUX_SEG_HELD))
		return -1;
	publish(a->segment);
	return 0;
}

static bool is_held(__u32 i)
{
	return PERFAUX_STATE(segments[i].state) == PERFAUX_SEG_HELD;
}

static bool is_released(__u32 i)
{
	return marks[i] == PERFAUX_SEQ(segments[i].state);
}

/* --- the reader ------------------------------------------------------------ */

static struct frames frames;

struct got {
	bool release;		/* got_frame() calls frames_release() */
	unsigned int without;	/* frames that belong to no sample */
	unsigned int lost;	/* frames whose sample did not come */
	__u32 segment;		/* the segment of the last frame */
};

static int got_frame(void *ctx, const struct perfaux_frame *frame, bool lost_sample)
{
	struct got *got = ctx;

	*(lost_sample ? &got->lost : &got->without) += 1;
	got->segment = frame->segment;
	if (got->release)
		frames_release(&frames);
	return 0;
}

static void begin(void)
{
	memset(marks, 0, sizeof(marks));
	memset(segments, 0, sizeof(segments));
	frames_init(&frames, &ring);
}

static bool look(struct got *got)
{
	frames_walk(&frames, got_frame, got);
	return frames_are_late(&frames);
}

static void joined_and_released(void)
{
	struct perfaux_reference a, b;
	struct got got = {};

	begin();
	begin_use(0, 7);
	a = add_frame(0, 5, PERFAUX_FRAME_SAMPLE);
	b = add_frame(0, 0, PERFAUX_FRAME_SAMPLE);
	add_frame(0, 9, 0);
	tap_report(frames_join(&frames, &a) == (void *)data, "a frame by its reference");
	tap_report(!frames_join(&frames, &a), "only once");
	look(&got);
	frames_release(&frames);
	tap_report(got.without == 1 && !is_released(0), "not released while it is written");
	publish(0);
	tap_report(!look(&got), "not late at the first look");
	frames_release(&frames);
	tap_report(!is_released(0), "not released without all samples");
	tap_report(!!frames_join(&frames, &b), "a frame without data");
	look(&got);
	frames_release(&frames);
	tap_report(got.without == 1 && got.lost == 0 && is_released(0),
		   "released when all have come");

	begin_use(0, 8);
	tap_report(!frames_join(&frames, &a), "not what is there now");
	a = add_frame(0, 5, PERFAUX_FRAME_SAMPLE);
	a.length = 6;
	tap_report(!frames_join(&frames, &a), "another length is another frame");
	a.length = 5;
	a.offset += 8;
	tap_report(!frames_join(&frames, &a), "and another place");
	/* The kernel never makes a frame that extends beyond its segment. */
	segments[0].frames_end = SIZE - sizeof(struct perfaux_frame);
	a = add_frame(0, 8, PERFAUX_FRAME_SAMPLE);
	tap_report(!frames_join(&frames, &a), "nor one that ends behind its segment");
	frames_free(&frames);
}

/* The samples of a segment that has just become READY can still be in a main ring. */
static void late(void)
{
	struct perfaux_reference b;
	struct got got = {};

	begin();
	begin_use(0, 1);
	begin_use(1, 2);
	add_frame(0, 5, PERFAUX_FRAME_SAMPLE);
	b = add_frame(1, 6, PERFAUX_FRAME_SAMPLE);
	publish(0);
	tap_report(!look(&got) && look(&got), "late at the second look");
	publish(1);
	tap_report(look(&got), "and at the third");
	frames_orphans(&frames, false, got_frame, &got);
	tap_report(got.lost == 1 && got.segment == 0, "lost: what was READY before the flush");
	frames_release(&frames);
	tap_report(is_released(0) && !is_released(1), "which is released");
	tap_report(frames_join(&frames, &b) == (void *)&data[SIZE],
		   "what was READY after it has its sample");
	tap_report(!look(&got), "nothing is late then");
	frames_release(&frames);
	tap_report(is_released(1) && got.lost == 1, "and it is released");

	/* The function that writes frames out can call frames_release() during the walk. */
	begin_use(0, 9);
	add_frame(0, 5, 0);
	add_frame(0, 6, 0);
	publish(0);
	got = (struct got){ .release = true };
	frames_walk(&frames, got_frame, &got);
	tap_report(got.without == 2 && !is_released(0),
		   "not released while it is gone through");
	frames_release(&frames);
	tap_report(is_released(0), "but after that");

	got = (struct got){ .lost = 1 };
	begin_use(1, 3);
	add_frame(1, 6, PERFAUX_FRAME_SAMPLE);
	publish(1);
	look(&got);
	frames_orphans(&frames, true, got_frame, &got);
	tap_report(got.lost == 2, "at the end all that have not come are lost");
	frames_release(&frames);
	tap_report(is_released(1), "and released");
	frames_free(&frames);
}

static struct perfaux_reference add_at(__u32 i, __u64 time, __u32 flags)
{
	struct perfaux_reference ref = add_frame(i, 8, flags);

	((struct perfaux_frame *)&data[i * SIZE + ref.offset])->time = time;
	return ref;
}

/* Frames of HELD segments, for a snapshot that begins at time 100 */
static void snapshot(void)
{
	struct perfaux_reference edge, in[2];
	struct got got = {};
	struct raw_run run;
	int err;

	begin();
	frames.held_only = true;
	frames.begin = 100;
	begin_use(0, 4);
	add_at(0, 98, 0);
	add_at(0, 98, PERFAUX_FRAME_SAMPLE);
	edge = add_at(0, 99, PERFAUX_FRAME_SAMPLE);
	in[0] = add_at(0, 100, PERFAUX_FRAME_SAMPLE);
	add_at(0, 101, PERFAUX_FRAME_SAMPLE);
	hold(0);
	begin_use(1, 5);
	in[1] = add_at(1, 102, PERFAUX_FRAME_SAMPLE);
	add_at(1, 103, 0);
	hold(1);
	begin_use(2, 6);
	add_at(2, 98, 0);
	publish(2);
	segments[0].ready_seq = 1;
	segments[1].ready_seq = 2;
	err = rawring_held_run(&ring, 100, &run);
	tap_report(!err && run.first == 2 && run.last == 2,
		   "a segment with older frames is not whole: %llu to %llu are", run.first,
		   run.last);

	frames_walk(&frames, got_frame, &got);
	frames_release(&frames);
	tap_report(got.without == 1 && got.segment == 1, "older frames are left out");
	tap_report(is_held(0) && is_held(1), "held as long as samples are to come");
	tap_report(!!frames_join(&frames, &in[1]), "a sample comes");
	frames_release(&frames);
	tap_report(is_held(0) && !is_held(1), "it is given back when all have come");
	tap_report(frames_join(&frames, &edge) && frames_join(&frames, &in[0]),
		   "an older frame, if its sample is not");
	look(&got);
	frames_orphans(&frames, true, got_frame, &got);
	tap_report(got.without == 1 && got.lost == 1 && got.segment == 0,
		   "what has lost its sample, and is not older: %u", got.lost);
	frames_release(&frames);
	tap_report(is_held(0), "held: of what was left out a sample might have come");
	frames_free(&frames);
	frames = (struct frames){ .begin = 0 };
}

int main(void)
{
	joined_and_released();
	late();
	snapshot();
	return tap_end();
}
