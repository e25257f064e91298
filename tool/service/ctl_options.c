// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the command line of `auxrec ctl`, without getopt(3), which prints messages itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/ctl_options.h"

#define TIMEOUT_MAX	(365 * 24 * 3600.0)

static int parse_timeout(const char *text, __u64 *timeout, struct diag *d)
{
	char *end;
	const double v = strtod(text, &end);

	/* strtod() would also accept "inf", "0x1p3" and blanks. */
	if (strspn(text, "0123456789.") != strlen(text) || v <= 0 || *end ||
	    v > TIMEOUT_MAX)
		return diag(d, -EINVAL, "--timeout: '%s' is not a number of seconds above 0", text);
	*timeout = v * NSEC_PER_SEC;
	if (!*timeout)
		*timeout = 1;
	return 0;
}

/* Join the words to a line, and parse the line as the recorder will, before connecting. */
static int parse_request(struct control_request *rq, int argc, char **argv, struct diag *d)
{
	char line[CONTROL_LINE_MAX];
	size_t len = 0;
	int i;

	if (!argc)
		return diag(d, -EINVAL, "the command is missing: give snapshot [NAME], status [--json], metrics or stop");
	for (i = 0; i < argc; i++) {
		/* In the line, this word would become two words or none. */
		if (!argv[i][0] || strchr(argv[i], ' '))
			return diag(d, -EINVAL, "'%s': give a word without blanks", argv[i]);
		len += snprintf(line + len, sizeof(line) - len, "%s%s", i ? " " : "", argv[i]);
		if (len >= sizeof(line))
			return diag(d, -EINVAL, "the command is too long: at most %d bytes",
				    CONTROL_LINE_MAX);
	}
	return control_parse(line, len, rq, d);
}

int ctl_parse(struct ctl_options *o, int argc, char **argv, struct diag *d)
{
	static const char timeout[] = "--timeout";
	const size_t len = sizeof(timeout) - 1;
	bool json = false;
	int i, err;

	memset(o, 0, sizeof(*o));
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			o->help = true;
			return 0;
		}
		if (!strcmp(argv[i], "--json")) {
			json = true;
			continue;
		}
		if (strncmp(argv[i], timeout, len) || (argv[i][len] && argv[i][len] != '='))
			return diag(d, -EINVAL, "unknown option '%s'", argv[i]);
		if (!argv[i][len] && i + 1 == argc)
			return diag(d, -EINVAL, "--timeout needs a number of seconds");
		err = parse_timeout(argv[i][len] ? argv[i] + len + 1 : argv[i + 1], &o->timeout, d);
		if (err)
			return err;
		i += !argv[i][len];
	}
	if (i == argc)
		return diag(d, -EINVAL, "the socket's path is missing: give the PATH of --trigger socket=PATH");
	o->path = argv[i++];
	err = parse_request(&o->request, argc - i, argv + i, d);
	if (!err && json && o->request.verb != CONTROL_STATUS)
		return diag(d, -EINVAL, "--json: only the status can be JSON");
	o->request.json |= json;
	return err;
}
