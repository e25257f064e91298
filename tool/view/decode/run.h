/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decode the trace from one PSB to the next.
 *
 * Each run is decoded without the others, so runs can be decoded at the same time, and the result
 * does not depend on who decodes which ones.
 */
#ifndef VIEW_RUN_H
#define VIEW_RUN_H

#include <intel-pt.h>

#include "view/decode/clock.h"
#include "view/decode/image.h"
#include "view/decode/out.h"
#include "view/decode/psb.h"

/* Tells whose code a queue executes at a time. Return NULL if no process is known. */
struct run_space {
	const struct space *(*find)(const struct run_space *s, __u64 time);
};

struct run_setup {
	struct pt_config config;	/* without data */
	struct clock_conv clock;
	const struct run_space *space;
};

struct run {
	const struct run_setup *setup;
	struct image *image;
	struct out *out;
	const __u8 *data;
	size_t	size;
	struct psb psb;		/* at the begin of the data */
	struct psb next;	/* behind the data; not whole: nothing follows */
};

void run_decode(struct run *r);

#endif /* VIEW_RUN_H */
