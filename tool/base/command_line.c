// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options from a table, and the messages that several commands have.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"

#define OPTIONS_MAX	16

/* The tables of getopt_long() */
struct tables {
	struct option list[OPTIONS_MAX + 1];
	char letters[2 * OPTIONS_MAX + 1];
	size_t nr, len;
};

static void add(struct tables *t, const struct command_option *o)
{
	assert(t->nr < OPTIONS_MAX);
	t->list[t->nr++] = (struct option){
		o->name, o->has_value ? required_argument : no_argument, NULL, o->letter
	};
	if (!o->has_letter)
		return;
	t->letters[t->len++] = o->letter;
	if (o->has_value)
		t->letters[t->len++] = ':';
}

int command_usage(const struct command_line *c)
{
	if (c->brief)
		fprintf(stderr, "Try '%s --help'.\n", c->who);
	else
		fputs(c->usage, stderr);
	return COMMAND_ERROR;
}

int command_options(const struct command_line *c, int argc, char **argv, void *ctx)
{
	static const struct command_option help = { "help", 'h', true, false };
	struct tables t = { .nr = 0 };
	const struct command_option *o;
	int letter, rc;

	for (o = c->options; o->name; o++)
		add(&t, o);
	add(&t, &help);
	/* optind 0, unlike 1, makes glibc start anew, even if getopt_long() was used before. */
	optind = 0;
	while ((letter = getopt_long(argc, argv, t.letters, t.list, NULL)) != -1) {
		if (letter == '?')
			return command_usage(c);
		if (letter == 'h') {
			fputs(c->usage, stdout);
			return command_flush(c->who, "the help", stdout) ? 0 : COMMAND_ERROR;
		}
		rc = c->set(ctx, letter, optarg);
		if (rc == COMMAND_USAGE)
			return command_usage(c);
		if (rc != COMMAND_GO_ON)
			return rc;
	}
	return COMMAND_GO_ON;
}

int command_open(const char *who, const char *path)
{
	int fd;

	if (!strcmp(path, "-"))
		return STDIN_FILENO;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
	return fd;
}

void command_close(int fd)
{
	if (fd != STDIN_FILENO)
		close(fd);
}

bool command_flush(const char *who, const char *what, FILE *out)
{
	int err = errno;

	/*
	 * If a write() has failed, fflush() usually writes the same data again and fails again. But
	 * stdio does not keep data that was larger than its buffer. fflush() then succeeds, and
	 * errno is still that of the failed write().
	 */
	if (fflush(out))
		err = errno;
	else if (!ferror(out))
		return true;
	fprintf(stderr, "%s: cannot write %s: %s\n", who, what, strerror(err));
	return false;
}
