// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any words as the command line of the commands that read streams: `auxrec
 * info`, `check`, `extract` and `merge`. The first line of the input is the command line, whose
 * first word is the subcommand. The rest is the stream, which is both in the file "f" and on
 * fd 0. The result of a command must agree with those of `check` and `info` without options.
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
	int most;		/* the highest exit status */
	unsigned int leaves;	/* maximum of files and directories left behind, if GOOD */
	unsigned int else_leaves;
} commands[] = {
	{ "info", auxrec_info_main, CUT, 0, 0 },
	{ "check", auxrec_check_main, CUT, 0, 0 },
	/* From a broken or cut stream, extract writes what comes before that place. */
	{ "extract", auxrec_extract_main, CUT, 1, 1 },
	{ "merge", auxrec_merge_main, ERROR, 1, 0 },
};

/* Return the command, or NULL: any word can be in the place of the subcommand. */
static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; name && i < ARRAY_LEN(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* The exit statuses of `check`, `check --perf` and `info` without other options */
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

	/* A copy of exactly its size, so that an access behind the final NULL is found. */
	args = malloc(size);
	must(args);
	memcpy(args, argv, size);
	status = scratch_call(cmd->main, argc, args);
	free(args);
	must(status >= GOOD && status <= cmd->most);
	return status;
}

/* Find a file or directory that the command left beside the stream. Is there one? */
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

/* Merge must accept valid streams only. Its result must be valid, and can be merged again. */
static void check_merged(const struct facts *facts, const char *name)
{
	const char *const again = ".again";

	must(facts->strict == GOOD);
	must(scratch_main(auxrec_check_main, "-q", "--", name, NULL) == GOOD);
	must(scratch_main(auxrec_merge_main, "-q", "-o", again, "--", name, NULL) == GOOD);
	must(!unlink(again));
}

/* There must be an index that is not empty. */
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

/* @asks: the command also succeeds without a stream (--help and similar) */
static void check_run(const struct command *cmd, int argc, char **argv, bool asks)
{
	struct stat before, after;
	struct facts facts;
	unsigned int left;
	int status;

	must(!stat(STREAM, &before));
	status = run(cmd, argc, argv);
	/* No option must change the file that the command reads. */
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

	/* No slashes, so that the command writes only to the scratch directory. */
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
