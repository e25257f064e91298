/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of a flight recorder.
 */
#ifndef AUXREC_FLIGHT_OPTIONS_H
#define AUXREC_FLIGHT_OPTIONS_H

#include "session/options.h"

/* Values of getopt_long() for the long options of the flight recorder */
enum {
	FLIGHT_OPT_FIRST = 512,
	FLIGHT_OPT_FLIGHT = FLIGHT_OPT_FIRST,
	FLIGHT_OPT_TRIGGER,
	FLIGHT_OPT_NAME,
	FLIGHT_OPT_KEEP,
	FLIGHT_OPT_KEEP_BYTES,
	FLIGHT_OPT_KEEP_AGE,
	FLIGHT_OPT_CONTROL_GROUP,
	FLIGHT_OPT_SNAPSHOT_LOG,
	FLIGHT_OPT_ON_SNAPSHOT,
	FLIGHT_OPT_SURVIVE,
	FLIGHT_OPT_ONLY_TASK,
	FLIGHT_OPT_DAEMON,
	FLIGHT_OPT_PID_FILE,
	FLIGHT_OPT_LOG,
	FLIGHT_OPT_MEMORY,
};

/* @c is one of the above, @arg its value. Return 0, -EINVAL with a message, or -ENOMEM. */
int flight_option(struct flight_options *opt, int c, const char *arg, struct diag *d);

/*
 * When all options are known, complete what was not given. Check whether -o is a directory. Return
 * 0, or -EINVAL, -EISDIR or -ENOMEM, with a message.
 */
int flight_options_check(struct options *opt, struct diag *d);

void flight_options_free(struct flight_options *opt);

#endif /* AUXREC_FLIGHT_OPTIONS_H */
