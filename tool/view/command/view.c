// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command auxrec view.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "view/command/command.h"
#include "view/page/page.h"

#define WHO	"auxrec view"

static const char usage[] =
"Usage: auxrec view [OPTION]... FILE|-\n"
"Make a page of a recording. A browser shows the page: a time line of calls,\n"
"samples, gaps and events, and flame graphs. The page is one file, and needs no\n"
"network.\n"
"\n"
"  -o, --output FILE.html\n"
"                 the page (default: the name of FILE with the suffix .html, in\n"
"                 the current directory)\n"
CONVERT_USAGE;

static int set_option(void *ctx, char letter, const char *value)
{
	return convert_option(ctx, letter, value);
}

static const struct command_option options[] = {
	{ "output", 'o', true, true },
	{ "symfs", 's', false, true },
	{ "kcore", 'k', false, true },
	{ "threads", 't', false, true },
	{ }
};

static const struct command_line command = {
	.who = WHO, .usage = usage, .options = options, .set = set_option,
};

/*
 * "dir/demo.auxrec" makes "demo.html". The caller must free the name. Return NULL if there is no
 * memory.
 */
static char *page_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = !strcmp(path, "-") ? "recording" : slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	char *page;

	if (asprintf(&page, "%.*s.html", dot && dot > name ? (int)(dot - name) : (int)strlen(name),
		     name) < 0)
		return NULL;
	return page;
}

int view_main(int argc, char **argv)
{
	struct convert c = { .who = WHO, .new = page_new };
	char *made = NULL;
	bool written;
	int rc;

	convert_begin(&c);
	rc = command_options(&command, argc, argv, &c);
	if (rc != COMMAND_GO_ON)
		return rc;
	if (optind != argc - 1) {
		fprintf(stderr, WHO ": FILE, or - for standard input, is needed\n");
		return command_usage(&command);
	}
	if (!c.out) {
		made = page_name(argv[optind]);
		c.out = made;
	}
	if (!c.out) {
		fprintf(stderr, WHO ": %s\n", strerror(ENOMEM));
		return VIEW_ERROR;
	}
	rc = convert(&c, argv[optind], &written);
	if (written)
		fprintf(stderr, WHO ": open %s in a browser\n", c.out);
	free(made);
	return rc;
}
