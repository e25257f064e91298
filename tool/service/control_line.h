/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of the control protocol, for both of its sides. Nothing here does more than
 * look at what it is given.
 */
#ifndef AUXREC_CONTROL_LINE_H
#define AUXREC_CONTROL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"

#define CONTROL_LINE_MAX	1024	/* bytes of a request, with its newline */
#define CONTROL_NAME_MAX	64	/* of a snapshot's name, with its NUL */

enum control_verb {
	CONTROL_SNAPSHOT,
	CONTROL_STATUS,
	CONTROL_STOP,
};

struct control_request {
	enum control_verb verb;
	char name[CONTROL_NAME_MAX];	/* CONTROL_SNAPSHOT; "": none was given */
};

/*
 * control_parse() - a request: "snapshot [NAME]", "status" or "stop"
 * @line: @len bytes, any, without the newline
 *
 * Return: 0, or -EINVAL with a message that has no newline.
 */
int control_parse(const char *line, size_t len, struct control_request *rq, struct diag *d);

/* Make the line of a request, with its newline, of at most CONTROL_LINE_MAX bytes. */
size_t control_format(const struct control_request *rq, char line[CONTROL_LINE_MAX + 1]);

enum control_reply {
	CONTROL_MORE,		/* a line of "status", or of what comes with later versions */
	CONTROL_OK,
	CONTROL_ERROR,
};

/* What an answer's line is; @text is what follows the "ok " or "error ", or all of it. */
enum control_reply control_reply(const char *line, const char **text);

#endif /* AUXREC_CONTROL_LINE_H */
