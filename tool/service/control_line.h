/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of the control protocol, for both of its sides. These functions only parse and
 * format text.
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
	CONTROL_METRICS,
	CONTROL_STOP,
};

struct control_request {
	enum control_verb verb;
	bool json;			/* CONTROL_STATUS: as JSON */
	char name[CONTROL_NAME_MAX];	/* CONTROL_SNAPSHOT; "": none was given */
};

/*
 * control_parse() - parse a request: "snapshot [NAME]", "status [--json]", "metrics" or "stop"
 * @line: any @len bytes, without the newline
 *
 * Return: 0, or -EINVAL with a message that has no newline.
 */
int control_parse(const char *line, size_t len, struct control_request *rq, struct diag *d);

/* Make the line of a request, with its newline. Return its length, at most CONTROL_LINE_MAX. */
size_t control_format(const struct control_request *rq, char line[CONTROL_LINE_MAX + 1]);

enum control_reply {
	CONTROL_MORE,		/* a line of "status", "metrics", or a later version's request */
	CONTROL_OK,
	CONTROL_ERROR,
};

/*
 * Return the kind of a line of an answer. Set @text to what follows "ok " or "error ", or to
 * @line.
 */
enum control_reply control_reply(const char *line, const char **text);

#endif /* AUXREC_CONTROL_LINE_H */
