// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any words as the command line of what reads streams, `auxrec info`,
 * `check`, `extract` and `merge`. The input is the line, with the subcommand as its first
 * word, and behind it the stream: what is in the file "f", and comes from fd 0. What a command
 * line says of it has to fit to what `check` and `info` say of it without options.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../scratch.h"
#include "check/main.h"
#include "extract/main.h"
#include "info/main.h"
#include "merge/main.h"
#include "base/util.h"

#define STREAM		"f"
#define PIECE		4096

/* Exit statuses */
enum { GOOD, BAD, ERROR, CUT };

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	int most;		/* of its statuses */
	unsigned int leaves;	/* files or directories, at most, if it is GOOD */
	unsigned int else_leaves;
} commands[] = {
	{ "info", auxrec_info_main, CUT, 0, 0 },
	{ "check", auxrec_check_main, CUT, 0, 0 },
	/* What comes before the place where it is broken or cut is extracted. */
	{ "extract", auxrec_extract_main, CUT, 1, 1 },
	{ "merge", auxrec_merge_main, ERROR, 1, 0 },
};

/* Words may be options of one that is not there, too. */
static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; name && i < ARRAY_LEN(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* What is said of the stream without options, by `check`, `check --perf` and `info` */
struct facts {
	int strict;
	int relaxed;
	int info;
};

static void ask(struct facts *facts)
{
	facts->strict = scratch_main(auxrec_check_main, "-q", STREAM, NULL);
	facts->relaxed = scratch_main(auxrec_check_main, "-q", "--perf", STREAM, NULL);
	facts->info = scratch_main(auxrec_info_main, STREAM, NULL);
}

static int run(const struct command *cmd, int argc, char **argv)
{
	const size_t size = (argc + 1) * sizeof(*argv);
	int status;
	char **args;

	/* What is behind the NULL at its end is nobody's. */
	args = malloc(size);
	must(args);
	memcpy(args, argv, size);
	status = scratch_call(cmd->main, argc, args);
	free(args);
	must(status >= GOOD && status <= cmd->most);
	return status;
}

/* What the command has left beside the stream: the first of it. Returns whether there is. */
static bool left_name(char name[NAME_MAX + 1])
{
	DIR *dir = opendir(".");
	const struct dirent *d;
	bool found = false;

	must(dir);
	while (!found && (d = readdir(dir))) {
		found = *d->d_name != '.' && strcmp(d->d_name, STREAM);
		if (found)
			strcpy(name, d->d_name);
	}
	closedir(dir);
	return found;
}

/* Only a valid stream is merged. The result is valid, and can be merged again. */
static void check_merged(const struct facts *facts, const char *name)
{
	const char *const again = ".again";

	must(facts->strict == GOOD);
	must(scratch_main(auxrec_check_main, "-q", "--", name, NULL) == GOOD);
	must(scratch_main(auxrec_merge_main, "-q", "-o", again, "--", name, NULL) == GOOD);
	must(!unlink(again));
}

/* There is an index, and something to be found by it. */
static void check_extracted(const char *name)
{
	char path[NAME_MAX + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/index", name);
	must(!stat(path, &st) && st.st_size);
}

static void check_good(const struct command *cmd, const struct facts *facts)
{
	char name[NAME_MAX + 1];

	must(cmd->main == auxrec_check_main ?
	     facts->strict == GOOD || facts->relaxed == GOOD : facts->info == GOOD);
	if (cmd->main == auxrec_extract_main) {
		must(left_name(name));
		check_extracted(name);
	} else if (cmd->main == auxrec_merge_main && left_name(name)) {
		check_merged(facts, name);
	}
}

static void check_refused(const struct command *cmd, const struct facts *facts, int status)
{
	if (cmd->main == auxrec_check_main)
		must(facts->strict == status || facts->relaxed == status);
	else if (cmd->main == auxrec_info_main)
		must(facts->info == status);
}

/* @asks: it is good without a stream, too: --help and the like */
static void check_run(const struct command *cmd, int argc, char **argv, bool asks)
{
	struct stat before, after;
	struct facts facts;
	unsigned int left;
	int status;

	must(!stat(STREAM, &before));
	status = run(cmd, argc, argv);
	/* No option makes a file of what is read. */
	must(!stat(STREAM, &after) && after.st_ino == before.st_ino &&
	     after.st_size == before.st_size);
	ask(&facts);
	if (status == GOOD && !asks)
		check_good(cmd, &facts);
	else if (status == BAD || status == CUT)
		check_refused(cmd, &facts, status);
	left = scratch_clear(".") - 1;
	must(left <= (status ? cmd->else_leaves : cmd->leaves));
}

static void call(char *line, const __u8 *stream, size_t size)
{
	char *argv[SCRATCH_WORDS + 1], *slash;
	const struct command *cmd;
	struct scratch_cwd cwd;
	bool asks;
	int argc;

	/* So that all it writes to is in the scratch directory. */
	while ((slash = strchr(line, '/')))
		*slash = '_';
	argc = scratch_split(line, argv);
	cmd = find(argv[1]);
	if (cmd) {
		scratch_enter(&cwd);
		scratch_pipe(NULL, 0, PIECE);
		asks = run(cmd, argc - 1, argv + 1) == GOOD;
		scratch_clear(".");
		scratch_write(STREAM, stream, size);
		scratch_pipe(stream, size, PIECE);
		check_run(cmd, argc - 1, argv + 1, asks);
		scratch_leave(&cwd);
	}
	scratch_free(argv);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	const __u8 *end = memchr(data, '\n', size), *stream = end ? end + 1 : data + size;
	char *line = scratch_string(data, (end ?: data + size) - data);

	call(line, stream, data + size - stream);
	free(line);
	return 0;
}
