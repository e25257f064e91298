// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command auxrec info.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_line.h"
#include "info/info.h"
#include "info/main.h"

enum {
	INFO_OK		= 0,
	INFO_BROKEN	= 1,
	INFO_ERROR	= 2,
	INFO_CUT	= 3,
};

#define WHO		"auxrec info"
#define DEFAULT_WIDTH	72
#define MIN_WIDTH	66	/* both times fit above the columns */
#define MAX_WIDTH	400

static const char usage[] =
"Usage: auxrec info [OPTION]... FILE|-\n"
"Show what is in a stream, what was lost, and a time line.\n"
"\n"
"  --by WHAT    rows of the time line: thread (default) or cpu\n"
"  --width N    columns of the time line with its labels (default 72)\n"
"  --records    list only the records, one per line\n"
"  --json       print everything as JSON\n"
"  --help       print this text\n"
"\n"
"Exit status: 0 all was read, 1 the stream is broken, 2 usage or I/O error,\n"
"3 it is cut within a record; the records before the cut are shown.\n"
"See auxrec-info(1).\n";

static int status(const struct info *info, const char *file, int rc)
{
	switch (rc) {
	case 0:
		return INFO_OK;
	case -ENODATA:
		if (info->damage[0]) {
			fprintf(stderr, WHO ": %s: cut at offset %llu of the stream: %s\n", file,
				info->cut, info->damage);
			return INFO_CUT;
		}
		if (!info->bytes) {
			fprintf(stderr, WHO ": %s: empty, no stream has begun\n",
				file);
			return INFO_CUT;
		}
		fprintf(stderr, WHO ": %s: cut in the middle of a record at offset %llu\n",
			file, info->cut);
		return INFO_CUT;
	case -EBADMSG:
	case -EPROTO:
		if (info->problem) {
			fprintf(stderr, WHO ": %s: %s\n", file, info->problem);
			return INFO_BROKEN;
		}
		if (info->damage[0])
			fprintf(stderr, WHO ": %s: %s\n", file, info->damage);
		else
			fprintf(stderr, WHO ": %s: broken at offset %llu, see auxrec check\n",
				file, info->cut);
		return INFO_BROKEN;
	}
	fprintf(stderr, WHO ": %s: at offset %llu: %s\n", file,
		info->bytes, strerror(-rc));
	return INFO_ERROR;
}

struct info_command {
	struct info *info;
	bool json;
	int width;
};

static int run(const struct info_command *c, const char *file)
{
	static const char * const results[] = { "complete", "broken", "", "cut" };
	struct info *info = c->info;
	int fd, rc;

	fd = command_open(WHO, file);
	if (fd < 0)
		return INFO_ERROR;
	rc = info_stream(info, read_fill_fd, &fd);
	command_close(fd);
	rc = status(info, file, rc);
	/* If the input is no stream, there is nothing to print. */
	if (rc == INFO_ERROR || info->records || (info->problem && !c->json))
		goto out;
	if (c->json)
		info_json(info, file, results[rc], c->width);
	else
		info_print(info, c->width);
out:
	return command_flush(WHO, "what is in the stream", info->out) ? rc : INFO_ERROR;
}

static bool parse_width(const char *text, int *width)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (*end || end == text || v < MIN_WIDTH || v > MAX_WIDTH)
		return false;
	*width = v;
	return true;
}

static int set_option(void *ctx, char letter, const char *value)
{
	struct info_command *c = ctx;

	switch (letter) {
	case 'b':
		c->info->by_cpu = !strcmp(value, "cpu");
		if (c->info->by_cpu || !strcmp(value, "thread"))
			break;
		fprintf(stderr, WHO ": --by is thread or cpu, not '%s'\n", value);
		return INFO_ERROR;
	case 'w':
		if (parse_width(value, &c->width))
			break;
		fprintf(stderr, WHO ": --width is %d to %d, not '%s'\n", MIN_WIDTH, MAX_WIDTH,
			value);
		return INFO_ERROR;
	case 'r':
		c->info->records = true;
		break;
	case 'j':
		c->json = true;
		break;
	}
	return COMMAND_GO_ON;
}

static const struct command_option options[] = {
	{ "by", 'b', true, true },
	{ "width", 'w', true, true },
	{ "records", 'r', true, false },
	{ "json", 'j', true, false },
	{ }
};

static const struct command_line command = {
	.who = WHO, .usage = usage, .options = options, .set = set_option,
};

static int run_command(struct info_command *c, int argc, char **argv)
{
	const int rc = command_options(&command, argc, argv, c);

	if (rc != COMMAND_GO_ON)
		return rc;
	if (optind != argc - 1) {
		fprintf(stderr, WHO ": one FILE, or - for standard input, is needed\n");
		return command_usage(&command);
	}
	if (c->info->records && c->json) {
		fprintf(stderr, WHO ": --records and --json exclude each other\n");
		return INFO_ERROR;
	}
	return run(c, argv[optind]);
}

int auxrec_info_main(int argc, char **argv)
{
	struct info_command c = { calloc(1, sizeof(*c.info)), false, DEFAULT_WIDTH };
	int rc;

	if (!c.info) {
		fprintf(stderr, WHO ": no memory\n");
		return INFO_ERROR;
	}
	c.info->out = stdout;
	rc = run_command(&c, argc, argv);
	info_free(c.info);
	free(c.info);
	return rc;
}
