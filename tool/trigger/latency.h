/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The value of --trigger latency=: which function is timed, and how long a call may take.
 */
#ifndef AUXREC_TRIGGER_LATENCY_H
#define AUXREC_TRIGGER_LATENCY_H

#include <linux/types.h>

#include "base/util.h"

#define LATENCY_FORM	"latency=FUNC@FILE/TIME/"
#define LATENCY_EXAMPLE	"latency=handle@./server/10ms/"

struct latency {
	__u64 time;		/* ns: a call that takes this long, or longer, is a trigger */
};

/*
 * Parse "FUNC@FILE/TIME/". Set *@place to the text of FUNC@FILE, which the caller must free, or to
 * NULL if there is no memory. Return 0, or -EINVAL with a message.
 */
int latency_parse(const char *s, struct latency *l, char **place, struct diag *d);

#endif /* AUXREC_TRIGGER_LATENCY_H */
