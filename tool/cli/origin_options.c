// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the option that chooses the clock of a recording.
 */
#include <errno.h>

#include "cli/origin_options.h"
#include "origin/clock_name.h"

int option_clock(struct options *opt, const char *s, struct diag *d)
{
	if (clock_parse(s, &opt->clock))
		return diag(d, -EINVAL,
			    "-k: '%s' is not a clock of perf events: there are monotonic, monotonic_raw, boottime, realtime and tai",
			    s);
	opt->use_clock = true;
	return 0;
}

int option_clock_check(const struct options *opt, struct diag *d)
{
	if (!opt->use_clock)
		return 0;
	if (opt->bpf_ring)
		return diag(d, -EINVAL,
			    "-k: records of BPF programs have the time of perf's own clock: leave -k or --bpf-ring out");
	if (opt->flight.survive)
		return diag(d, -EINVAL,
			    "-k: --survive-crash tells the time of the crash by perf's own clock: leave -k out");
	if (opt->flight.on && clock_can_be_set(opt->clock))
		return diag(d, -EINVAL,
			    "-k %s: this clock can be set back, and a flight recorder would lose its history then: give -k mono, and perf script -F +tod prints the time of day",
			    clock_name(opt->clock));
	return 0;
}
