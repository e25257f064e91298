// SPDX-License-Identifier: GPL-2.0-only
/*
 * to_perf_data IN OUT: make a perf.data file of a stream, "-": stdin. Exit status: 0 written,
 * 1 refused, 2 the stream is cut, and the part before the cut was written.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/perfdata.h"

int main(int argc, char **argv)
{
	struct perf_data_summary sum;
	struct diag d;
	int in;

	if (argc != 3)
		return 1;
	in = strcmp(argv[1], "-") ? open(argv[1], O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (perf_data_write(in, argv[1], argv[2], &sum, &d)) {
		fprintf(stderr, "%s\n", d.msg);
		return 1;
	}
	printf("records %llu\naux %llu\nevents %u\nids %u\nbytes %llu\n", sum.records,
	       sum.aux_bytes, sum.events, sum.build_ids, sum.bytes);
	return sum.cut ? 2 : 0;
}
