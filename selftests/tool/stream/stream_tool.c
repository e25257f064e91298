// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that has only auxrec's `check` and `info`, to test them without the recorder.
 */
#include <stdio.h>
#include <string.h>

#include "check/main.h"
#include "info/main.h"

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "check"))
		return auxrec_check_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "info"))
		return auxrec_info_main(argc - 1, argv + 1);
	fprintf(stderr, "Usage: stream_tool check|info ...\n");
	return 2;
}
