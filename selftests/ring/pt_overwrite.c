// SPDX-License-Identifier: GPL-2.0-only
/*
 * Record a command with softpt into an overwrite ring of one-page segments:
 * pt_overwrite FILE SEGMENTS CMD...
 *
 * It writes the data that is left at the end to FILE, in order, and prints how many
 * segments were overwritten.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/ring_lib.h"

#define SEGMENT		4096

static void run(void *arg)
{
	char **argv = arg;

	execv(argv[0], argv);
	perror(argv[0]);
	_exit(127);
}

static void write_span(void *ctx, const struct record *record)
{
	if (record->span)
		fwrite(record->data, 1, record->span->length, ctx);
	else
		fprintf(stderr, "a gap, cause %u\n", record->gap->cause);
}

static int failed(const char *what, int error)
{
	fprintf(stderr, "%s: %s\n", what, strerror(-error));
	return 1;
}

int main(int argc, char **argv)
{
	struct perfaux_create create;
	struct child child;
	struct ring ring;
	int event, ret;
	FILE *out;

	if (argc < 4) {
		fprintf(stderr, "usage: pt_overwrite FILE SEGMENTS CMD...\n");
		return 2;
	}
	ring_params(&create, SEGMENT, atoi(argv[2]));
	create.flags = PERFAUX_RING_OVERWRITE;
	ret = ring_open(&ring, &create);
	if (ret)
		return failed("ring", ret);
	ret = child_start(&child, run, argv + 3);
	if (ret)
		return failed("fork", ret);
	event = pt_attach(&ring, child.pid);
	if (event < 0)
		return failed("intel_pt", event);
	child_go(&child);
	ret = child_wait(&child);
	if (ret)
		fprintf(stderr, "%s: status %d\n", argv[3], ret);
	event_disable(event);
	ring_flush(&ring, 0);

	out = fopen(argv[1], "we");
	if (!out)
		return failed(argv[1], -errno);
	ring_read_still(&ring, write_span, out);
	if (fclose(out))
		return failed(argv[1], -errno);
	printf("%" PRIu64 "\n", ring_lost(&ring, PERFAUX_CAUSE_OVERWRITTEN));
	close(event);
	ring_close(&ring);
	return ret != 0;
}
