// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_filter FILTER: print an address filter in the form in which auxrec gives it to the kernel.
 * filter_test.sh calls this program.
 */
#include <stdio.h>
#include <stdlib.h>

#include "event/filter.h"

int main(int argc, char **argv)
{
	struct diag d = { .msg = "" };
	char *kernel;

	if (argc != 2) {
		fputs("usage: test_filter FILTER: prints it as the kernel is told\n",
		      stderr);
		return 2;
	}
	if (filter_addresses(argv[1], &kernel, &d)) {
		fprintf(stderr, "%s\n", d.msg);
		return 1;
	}
	puts(kernel);
	free(kernel);
	return 0;
}
