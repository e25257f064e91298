/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line of `auxrec ctl`.
 */
#ifndef AUXREC_CTL_OPTIONS_H
#define AUXREC_CTL_OPTIONS_H

#include "service/control_line.h"

struct ctl_options {
	bool help;
	__u64 timeout;		/* ns, 0: none */
	const char *path;
	struct control_request request;
};

/* Parse @argv, without any other effect. Return 0, or -EINVAL with a message. */
int ctl_parse(struct ctl_options *o, int argc, char **argv, struct diag *d);

#endif /* AUXREC_CTL_OPTIONS_H */
