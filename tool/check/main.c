// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command line of auxrec check.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "check/check.h"
#include "check/main.h"

#define WHO		"auxrec check"
#define DEFAULT_MAX	20

static const char usage[] =
"Usage: auxrec check [OPTION]... FILE|-\n"
"Check that a stream keeps every rule that its readers rely on.\n"
"\n"
"  --perf      check only the rules that stock perf's readers need\n"
"  --max N     list at most N violations (default 20); count all\n"
"  --json      print the result as JSON\n"
"  --quiet     print nothing; only set the exit status\n"
"  --rules     list the rules and exit\n"
"  --help      print this text\n"
"\n"
"Exit status: 0 valid (a prefix that ends between records is valid, too),\n"
"1 invalid, 2 usage or I/O error, 3 valid, but cut within a record.\n"
"See auxrec-check(1).\n";

static int run(struct check *c, const char *file)
{
	int fd, rc;

	fd = command_open(WHO, file);
	if (fd < 0)
		return CHECK_ERROR;
	check_report_begin(c, file);
	rc = check_stream(c, read_fill_fd, &fd);
	check_report_end(c, file, rc);
	if (rc < 0) {
		fprintf(stderr, WHO ": %s: at offset %llu: %s\n", file, c->bytes, strerror(-rc));
		rc = CHECK_ERROR;
	}
	command_close(fd);
	if (!command_flush(WHO, "the findings", c->out))
		rc = CHECK_ERROR;
	check_free(c);
	return rc;
}

static int set_max(struct check *c, const char *value)
{
	char *end;

	errno = 0;
	c->max = strtoull(value, &end, 10);
	if (!errno && !*end && end != value && *value != '-')
		return COMMAND_GO_ON;
	fprintf(stderr, WHO ": --max: '%s' is not a number\n", value);
	return COMMAND_USAGE;
}

static int set_option(void *ctx, char letter, const char *value)
{
	struct check *c = ctx;

	switch (letter) {
	case 'p':
		c->relaxed = true;
		break;
	case 'm':
		return set_max(c, value);
	case 'j':
		c->json = true;
		break;
	case 'q':
		c->quiet = true;
		break;
	case 'r':
		check_print_rules(stdout);
		return command_flush(WHO, "the rules", stdout) ? CHECK_VALID : CHECK_ERROR;
	}
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "perf", 'p', false, false },
	{ "max", 'm', true, true },
	{ "json", 'j', true, false },
	{ "quiet", 'q', true, false },
	{ "rules", 'r', false, false },
	{ }
};

static const struct command_line command = {
	.who = WHO, .usage = usage, .options = options, .set = set_option,
};

int auxrec_check_main(int argc, char **argv)
{
	struct check *c = calloc(1, sizeof(*c));
	int rc;

	if (!c) {
		fprintf(stderr, WHO ": no memory\n");
		return CHECK_ERROR;
	}
	c->max = DEFAULT_MAX;
	c->out = stdout;
	rc = command_options(&command, argc, argv, c);
	if (rc == COMMAND_GO_ON && optind == argc - 1) {
		rc = run(c, argv[optind]);
	} else if (rc == COMMAND_GO_ON) {
		fprintf(stderr, WHO ": one FILE, or - for standard input, is needed\n");
		rc = command_usage(&command);
	}
	free(c);
	return rc;
}
