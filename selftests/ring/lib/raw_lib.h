/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events with raw samples: open them, read their main rings, follow references.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
 */
#ifndef RAW_LIB_H
#define RAW_LIB_H

#include <linux/perf_event.h>

#include "ring_lib.h"

#define RAW_SAMPLE_TYPE	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | \
			 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW)

/* An event and its main ring */
struct raw_event {
	int fd;
	uint64_t id;
	struct perf_event_mmap_page *page;
	uint8_t *data;
	size_t size;		/* size of the data area */
	uint64_t lost;		/* samples that were lost, up to what was read */
};

struct raw_sample {
	uint64_t id;
	uint32_t pid;
	uint32_t tid;
	uint64_t time;
	uint32_t cpu;
	const void *raw;	/* the raw data in the sample */
	uint32_t raw_size;
};

/* @attr: type, config, period, and other fields that differ between events */
int raw_open(struct raw_event *ev, const struct perf_event_attr *attr,
	     pid_t pid, int cpu, size_t size);
void raw_close(struct raw_event *ev);

/* PERFAUX_IOC_ATTACH with PERFAUX_ATTACH_RAW */
int raw_attach(struct ring *ring, int event, uint64_t cookie);

typedef void (*raw_fn)(void *ctx, const struct raw_sample *sample);

/* Consume all samples. Returns -EBADMSG if a sample's contents exceed its size. */
int raw_read(struct raw_event *ev, raw_fn fn, void *ctx);

/* Return whether the raw data of @sample is a reference to @ring. */
bool raw_is_reference(const struct ring *ring, const struct raw_sample *sample,
		      struct perfaux_reference *ref);
/*
 * Return the frame of a reference. Return NULL if its segment is in use again, or
 * if the frame is not what the reference says; *@wrong then says why.
 */
const struct perfaux_frame *raw_follow(const struct ring *ring,
				       const struct perfaux_reference *ref,
				       const char **wrong);

/*
 * Go through the frames of all segments up to frames_end. With @release, release
 * READY segments. Returns the number of frames, or -EBADMSG.
 */
typedef void (*frame_fn)(void *ctx, const struct perfaux_frame *frame);
int64_t raw_walk(struct ring *ring, frame_fn fn, void *ctx, bool release);
/* The same for READY segments only, and release them: each frame comes once. */
int64_t raw_read_ready(struct ring *ring, frame_fn fn, void *ctx);

/* Return the id of a tracepoint, or -errno. */
int raw_tracepoint(const char *system, const char *name);
/* Attributes for a sample of each task:task_rename: prctl(PR_SET_NAME) */
struct perf_event_attr raw_rename_attr(void);

#endif /* RAW_LIB_H */
