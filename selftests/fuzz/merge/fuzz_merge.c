// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as snapshots for `auxrec merge`. The input contains the snapshots
 * one after the other. Each begins with the magic number of a stream.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../scratch.h"
#include "check/main.h"
#include "merge/main.h"

#define MAGIC		"PERFILE2"
#define MAGIC_LEN	8
#define MAX_FILES	3

/* Exit statuses */
enum { GOOD, BAD, ERROR };

static bool is_valid(const char *path)
{
	return scratch_main(auxrec_check_main, "--quiet", path, NULL) == GOOD;
}

static bool is_same(const char *a, const char *b)
{
	FILE *f = fopen(a, "r"), *g = fopen(b, "r");
	int c, d;

	must(f && g);
	do {
		c = getc(f);
		d = getc(g);
	} while (c == d && c != EOF);
	fclose(f);
	fclose(g);
	return c == d;
}

/* Merge @nr files. @valid: all of them are valid. */
static void merge(char path[][SCRATCH_PATH], int nr, bool valid)
{
	char out[160], again[160], *p[MAX_FILES] = { NULL };
	int status, i;

	snprintf(out, sizeof(out), "%s/out", scratch_dir());
	snprintf(again, sizeof(again), "%s/again", scratch_dir());
	for (i = 0; i < nr; i++)
		p[i] = path[i];
	status = scratch_main(auxrec_merge_main, "-o", out, p[0], p[1], p[2], NULL);
	must(status == GOOD || status == BAD);
	if (status == BAD) {
		must(access(out, F_OK));
		return;
	}
	/* Merge accepts valid streams only. Its result is valid, and can be merged again. */
	must(valid && is_valid(out));
	must(scratch_main(auxrec_merge_main, "-q", "-o", again, out, NULL) == GOOD);
	unlink(again);
	for (i = 0; i < nr; i++)
		p[i] = path[nr - 1 - i];
	must(scratch_main(auxrec_merge_main, "-q", "-o", again, p[0], p[1], p[2], NULL) ==
	     GOOD);
	must(is_same(out, again));
	unlink(again);
	unlink(out);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	char path[MAX_FILES][SCRATCH_PATH];
	const __u8 *end = data + size;
	int fd[MAX_FILES], nr = 0, i;
	bool valid = true;

	while (nr < MAX_FILES && (data < end || !nr)) {
		const __u8 *next = NULL;

		if (nr < MAX_FILES - 1 && end - data > MAGIC_LEN)
			next = memmem(data + 1, end - data - 1, MAGIC, MAGIC_LEN);
		next = next ?: end;
		fd[nr] = scratch_file(path[nr], data, next - data);
		valid &= is_valid(path[nr++]);
		data = next;
	}
	merge(path, nr, valid);
	for (i = 0; i < nr; i++)
		close(fd[i]);
	return 0;
}
