/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The value of --trigger pressure=: how long tasks must wait for a resource. The kernel measures
 * their wait as pressure stall information (PSI).
 */
#ifndef AUXREC_TRIGGER_PRESSURE_H
#define AUXREC_TRIGGER_PRESSURE_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/util.h"

#define PRESSURE_FORM		"pressure=cpu|memory|io[:some|full]/TIME/WINDOW"
#define PRESSURE_EXAMPLE	"pressure=memory/150ms/1s"

/*
 * Without CAP_SYS_RESOURCE, psi_trigger_create() accepts only multiples of this window, because the
 * kernel then uses the work that computes the averages every 2 s, and not a thread of its own.
 */
#define PRESSURE_USER_WINDOW_US	2000000U

struct pressure {
	const char *resource;	/* "cpu", "memory" or "io" */
	bool full;		/* count the time in which all tasks wait, not only some */
	__u32 threshold_us;	/* the wait in @window_us that is a trigger */
	__u32 window_us;	/* the window in which the wait is added up */
};

/* Parse "RESOURCE[:some|full]/TIME/WINDOW". Return 0, or -EINVAL with a message. */
int pressure_parse(const char *s, struct pressure *p, struct diag *d);

#endif /* AUXREC_TRIGGER_PRESSURE_H */
