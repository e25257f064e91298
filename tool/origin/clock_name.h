/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clocks that a perf event can have (attr.clockid), and their names.
 */
#ifndef AUXREC_CLOCK_NAME_H
#define AUXREC_CLOCK_NAME_H

#include <linux/types.h>
#include <stdbool.h>

/*
 * clock_parse() - parse a clock as perf record -k does
 * @text: a name in upper or lower case, with or without CLOCK_, a short name, or a number
 *
 * Return: 0 or -EINVAL.
 */
int clock_parse(const char *text, __s32 *id);

/* Return "monotonic" and so on, or NULL if no event can have this clock. */
const char *clock_name(__s32 id);

/*
 * Can this clock be read in an NMI? perf_event_set_clock() refuses other clocks for all PMUs
 * without PERF_PMU_CAP_NO_NMI, and only the PMUs of software events have this flag.
 */
bool clock_is_nmi_safe(__s32 id);

/* Can somebody set this clock, so that its time can go back? */
bool clock_can_be_set(__s32 id);

#endif /* AUXREC_CLOCK_NAME_H */
