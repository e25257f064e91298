/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The value of --trigger pressure=: how long tasks wait for a resource, as the kernel's pressure
 * stall information (PSI) tells it.
 */
#ifndef AUXREC_TRIGGER_PRESSURE_H
#define AUXREC_TRIGGER_PRESSURE_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/util.h"

#define PRESSURE_FORM		"pressure=cpu|memory|io[:some|full]/TIME/WINDOW"
#define PRESSURE_EXAMPLE	"pressure=memory/150ms/1s"

/*
 * Without CAP_SYS_RESOURCE, psi_trigger_create() accepts only multiples of this window, because it
 * then has no kernel thread that looks more often.
 */
#define PRESSURE_USER_WINDOW_US	2000000U

struct pressure {
	const char *resource;	/* "cpu", "memory" or "io" */
	bool full;		/* all tasks wait at the same time, not only some */
	__u32 threshold_us;	/* the trigger comes if they wait for this long ... */
	__u32 window_us;	/* ... in this time */
};

/* Parse "RESOURCE[:some|full]/TIME/WINDOW". Return 0, or -EINVAL with a message. */
int pressure_parse(const char *s, struct pressure *p, struct diag *d);

#endif /* AUXREC_TRIGGER_PRESSURE_H */
