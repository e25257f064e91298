/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The value of --trigger hang=: which task is watched, and how long it may stand still.
 */
#ifndef AUXREC_TRIGGER_HANG_H
#define AUXREC_TRIGGER_HANG_H

#include <linux/types.h>
#include <sys/types.h>

#include "base/util.h"

#define HANG_FORM	"hang=PID/TIME"
#define HANG_EXAMPLE	"hang=1234/5s"

struct hang {
	pid_t pid;		/* the thread to watch; that of a process means its main thread */
	__u64 time;		/* ns */
};

/* Parse "PID/TIME". Return 0, or -EINVAL with a message. */
int hang_parse(const char *s, struct hang *h, struct diag *d);

#endif /* AUXREC_TRIGGER_HANG_H */
