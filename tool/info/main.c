// SPDX-License-Identifier: GPL-2.0-only
/*
 * The command auxrec info.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "info/info.h"
#include "info/main.h"

enum {
	INFO_OK		= 0,
	INFO_BROKEN	= 1,
	INFO_ERROR	= 2,
	INFO_CUT	= 3,
};

#define DEFAULT_WIDTH	72
#define MIN_WIDTH	66	/* both times fit under the columns */
#define MAX_WIDTH	400

static void print_usage(FILE *f)
{
	fputs("Usage: auxrec info [OPTION]... FILE|-\n"
	      "Show what is in a stream, what was lost, and a time line.\n"
	      "\n"
	      "  --by WHAT    rows of the time line: thread (default) or cpu\n"
	      "  --width N    columns of the time line with its labels (default 72)\n"
	      "  --records    list only the records, one per line\n"
	      "  --json       print everything as JSON\n"
	      "  --help       print this text\n"
	      "\n"
	      "Exit status: 0 all was read, 1 the stream is broken, 2 usage or I/O error,\n"
	      "3 it is cut within a record; the records before the cut are shown.\n",
	      f);
}

static int status(const struct info *info, const char *file, int rc)
{
	switch (rc) {
	case 0:
		return INFO_OK;
	case -ENODATA:
		if (!info->bytes) {
			fprintf(stderr, "auxrec info: %s: empty, no stream has begun\n",
				file);
			return INFO_CUT;
		}
		fprintf(stderr, "auxrec info: %s: cut in the middle of a record at offset %llu\n",
			file, info->cut);
		return INFO_CUT;
	case -EBADMSG:
	case -EPROTO:
		if (info->problem) {
			fprintf(stderr, "auxrec info: %s: %s\n", file, info->problem);
			return INFO_BROKEN;
		}
		fprintf(stderr, "auxrec info: %s: broken at offset %llu, see auxrec check\n",
			file, info->cut);
		return INFO_BROKEN;
	}
	fprintf(stderr, "auxrec info: %s: at offset %llu: %s\n", file,
		info->bytes, strerror(-rc));
	return INFO_ERROR;
}

static int run(struct info *info, const char *file, bool json, int width)
{
	static const char * const results[] = { "complete", "broken", "", "cut" };
	int fd = STDIN_FILENO, rc;

	if (strcmp(file, "-")) {
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			fprintf(stderr, "auxrec info: %s: %s\n", file,
				strerror(errno));
			return INFO_ERROR;
		}
	}
	rc = info_stream(info, read_fill_fd, &fd);
	if (fd != STDIN_FILENO)
		close(fd);
	rc = status(info, file, rc);
	/* If the input is no stream, there is nothing to print. */
	if (rc == INFO_ERROR || info->records || (info->problem && !json))
		goto out;
	if (json)
		info_json(info, file, results[rc], width);
	else
		info_print(info, width);
out:
	if (fflush(info->out) || ferror(info->out)) {
		fprintf(stderr, "auxrec info: output: %s\n", strerror(errno));
		rc = INFO_ERROR;
	}
	return rc;
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

/* Return true to go on; otherwise @rc is the exit status. */
static bool parse_options(struct info *info, int argc, char **argv, bool *json,
			  int *width, int *rc)
{
	static const struct option options[] = {
		{ "by", required_argument, NULL, 'b' },
		{ "width", required_argument, NULL, 'w' },
		{ "records", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int o;

	*rc = INFO_ERROR;
	optind = 1;
	while ((o = getopt_long(argc, argv, "b:w:rjh", options, NULL)) != -1) {
		switch (o) {
		case 'b':
			info->by_cpu = !strcmp(optarg, "cpu");
			if (info->by_cpu || !strcmp(optarg, "thread"))
				break;
			fprintf(stderr, "auxrec info: --by is thread or cpu, not '%s'\n",
				optarg);
			return false;
		case 'w':
			if (parse_width(optarg, width))
				break;
			fprintf(stderr, "auxrec info: --width is %d to %d, not '%s'\n",
				MIN_WIDTH, MAX_WIDTH, optarg);
			return false;
		case 'r':
			info->records = true;
			break;
		case 'j':
			*json = true;
			break;
		case 'h':
			print_usage(stdout);
			*rc = INFO_OK;
			return false;
		default:
			print_usage(stderr);
			return false;
		}
	}
	if (optind == argc - 1)
		return true;
	fprintf(stderr, "auxrec info: one FILE, or - for standard input, is needed\n");
	print_usage(stderr);
	return false;
}

int auxrec_info_main(int argc, char **argv)
{
	struct info *info = calloc(1, sizeof(*info));
	int width = DEFAULT_WIDTH, rc;
	bool json = false;

	if (!info) {
		fprintf(stderr, "auxrec info: no memory\n");
		return INFO_ERROR;
	}
	info->out = stdout;
	if (parse_options(info, argc, argv, &json, &width, &rc)) {
		if (info->records && json) {
			fprintf(stderr, "auxrec info: --records and --json exclude each other\n");
			rc = INFO_ERROR;
		} else {
			rc = run(info, argv[optind], json, width);
		}
	}
	info_free(info);
	free(info);
	return rc;
}
