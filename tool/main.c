// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxrec: records perf events and their AUX data into one stream.
 */
#include <string.h>

#include "check_main.h"
#include "ctl_main.h"
#include "event.h"
#include "extract_main.h"
#include "info_main.h"
#include "merge_main.h"
#include "session.h"

int main(int argc, char **argv)
{
	static const struct {
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
	size_t i;

	for (i = 0; argc > 1 && i < ARRAY_LEN(commands); i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		/* What getopt_long() begins its messages with. */
		argv[1] = commands[i].full;
		return commands[i].main(argc - 1, argv + 1);
	}
	return auxrec_record_main(argc, argv);
}
