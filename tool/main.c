// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxrec: record perf events and their AUX data into one stream.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/main.h"
#include "service/ctl.h"
#include "event/event.h"
#include "extract/main.h"
#include "flight/flight.h"
#include "info/main.h"
#include "merge/main.h"
#include "record/record.h"
#include "recover/main.h"

/* The exit status if auxview cannot be started */
#define NO_VIEWER	2

/*
 * Become auxview, which stands beside auxrec or in PATH: a recorder needs none of the libraries
 * that decode.
 */
static int start_viewer(int argc, char **argv)
{
	char *viewer = strdup("auxview");
	const char *full = argv[0];
	char **args = calloc(argc + 2, sizeof(*args));
	char path[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("auxview"));

	if (!args || !viewer) {
		fprintf(stderr, "%s: %s\n", full, strerror(ENOMEM));
		goto out;
	}
	args[0] = viewer;
	memcpy(args + 1, argv, (argc + 1) * sizeof(*argv));
	args[1] = strchr(argv[0], ' ') + 1;
	path[n > 0 ? n : 0] = '\0';
	slash = strrchr(path, '/');
	if (slash) {
		strcpy(slash + 1, viewer);
		execv(path, args);
	}
	execvp(viewer, args);
	if (errno == ENOENT)
		fprintf(stderr, "%s: the program auxview is not installed (package auxview)\n",
			full);
	else
		fprintf(stderr, "%s: auxview: %s\n", full, strerror(errno));
out:
	free(args);
	free(viewer);
	return NO_VIEWER;
}

static const struct command {
	const char *name;
	char *full;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "list", "auxrec list", auxrec_list_main },
	{ "info", "auxrec info", auxrec_info_main },
	{ "check", "auxrec check", auxrec_check_main },
	{ "extract", "auxrec extract", auxrec_extract_main },
	{ "ctl", "auxrec ctl", auxrec_ctl_main },
	{ "merge", "auxrec merge", auxrec_merge_main },
	{ "recover", "auxrec recover", auxrec_recover_main },
	{ "view", "auxrec view", start_viewer },
	{ "export", "auxrec export", start_viewer },
};

/* Return NULL if no command has this name. */
static const struct command *find(const char *name)
{
	size_t i;

	for (i = 0; name && i < ARRAY_LEN(commands); i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* Show the help of command @name, or of auxrec itself if there is no such command. */
static int show_help(char *self, const char *name)
{
	const struct command *command = find(name);
	char option[] = "--help";
	char *argv[3];

	argv[0] = command ? command->full : self;
	argv[1] = option;
	argv[2] = NULL;
	return command ? command->main(2, argv) : auxrec_record_main(2, argv, &flight_mode);
}

int main(int argc, char **argv)
{
	const char *first = argc > 1 ? argv[1] : NULL;
	const struct command *command = first ? find(first) : NULL;

	if (first && !strcmp(first, "help"))
		return show_help(argv[0], argv[2]);
	if (!command)
		return auxrec_record_main(argc, argv, &flight_mode);
	/* getopt_long() begins its messages with this name. */
	argv[1] = command->full;
	return command->main(argc - 1, argv + 1);
}
