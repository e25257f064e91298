/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decode the trace from one PSB to the next.
 *
 * The result of a run does not depend on other runs. So threads can decode runs at the same time.
 */
#ifndef VIEW_RUN_H
#define VIEW_RUN_H

#include <intel-pt.h>

#include "view/decode/clock.h"
#include "view/decode/image.h"
#include "view/decode/out.h"
#include "view/decode/psb.h"

/* A callback: the space of the process that a queue traces at a time; NULL: not known */
struct run_space {
	const struct space *(*find)(const struct run_space *s, __u64 time);
};

struct run_setup {
	struct pt_config config;	/* without data */
	struct clock_conv clock;
	const struct run_space *space;
};

struct code;

struct run {
	const struct run_setup *setup;
	struct image *image;
	struct code *code;	/* see code.h */
	struct out *out;
	const __u8 *data;
	size_t	size;
	struct psb psb;		/* at the begin of the data */
	struct psb next;	/* after the data; not whole: nothing follows */
};

void run_decode(struct run *r);

#endif /* VIEW_RUN_H */
