// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxrec: record perf events and their AUX data into one stream.
 */
#include <string.h>

#include "check/main.h"
#include "service/ctl.h"
#include "event/event.h"
#include "extract/main.h"
#include "flight/flight.h"
#include "info/main.h"
#include "merge/main.h"
#include "record/record.h"

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
