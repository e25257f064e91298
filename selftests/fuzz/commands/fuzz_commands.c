// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any words as the command line of what reads streams, `auxrec info`,
 * `check`, `extract` and `merge`. The input is the line, with the subcommand as its first
 * word, and behind it the stream: what is in the file "f", and comes from fd 0.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../scratch.h"
#include "check_main.h"
#include "extract_main.h"
#include "info_main.h"
#include "merge_main.h"
#include "util.h"

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

static void run(const struct command *cmd, int argc, char **argv)
{
	const size_t size = (argc + 1) * sizeof(*argv);
	struct stat before, after;
	unsigned int left;
	int status;
	char **args;

	/* What is behind the NULL at its end is nobody's. */
	args = malloc(size);
	must(args);
	memcpy(args, argv, size);
	must(!stat(STREAM, &before));
	status = scratch_call(cmd->main, argc, args);
	free(args);
	must(status >= GOOD && status <= cmd->most);
	/* No option makes a file of what is read. */
	must(!stat(STREAM, &after) && after.st_ino == before.st_ino &&
	     after.st_size == before.st_size);
	left = scratch_clear(".") - 1;
	must(left <= (status ? cmd->else_leaves : cmd->leaves));
}

static void call(char *line, const __u8 *stream, size_t size)
{
	char *argv[SCRATCH_WORDS + 1], *slash;
	const struct command *cmd;
	struct scratch_cwd cwd;
	int argc;

	/* So that all it writes to is in the scratch directory. */
	while ((slash = strchr(line, '/')))
		*slash = '_';
	argc = scratch_split(line, argv);
	cmd = find(argv[1]);
	if (cmd) {
		scratch_enter(&cwd);
		scratch_write(STREAM, stream, size);
		scratch_pipe(stream, size, PIECE);
		run(cmd, argc - 1, argv + 1);
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
