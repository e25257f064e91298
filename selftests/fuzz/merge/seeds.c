// SPDX-License-Identifier: GPL-2.0-only
/*
 * seeds DIR: make inputs for fuzz_merge. Each file has two or three small snapshots of the
 * made-up machine of merge's tests.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tool/merge/world.h"

/* Small, so that a batch contains little, but is not empty */
#define ROOM	600

static void append(FILE *to, const char *path)
{
	FILE *from = fopen(path, "r");
	int c;

	if (!from)
		exit(2);
	while ((c = getc(from)) != EOF)
		putc(c, to);
	fclose(from);
	unlink(path);
}

static void make(struct world *w, const char *dir, unsigned int nr)
{
	char path[256], part[256];
	unsigned int i;
	FILE *f;

	snprintf(path, sizeof(path), "%s/seed-%u", dir, nr);
	snprintf(part, sizeof(part), "%s/part", dir);
	memset(w, 0, sizeof(*w));
	w->aux = nr % 3;
	w->late = nr & 1;
	w->release = nr & 2;
	w->pre = nr & 4;
	w->limits = (struct recent_limits){
		.memory = 2 * ROOM, .window = nr & 8 ? 20 : 0,
	};
	history_seed = nr + 1;
	f = fopen(path, "w");
	if (!f)
		exit(2);
	world_begin(w);
	for (i = 0; i < 2 + nr % 2; i++) {
		world_pass(w);
		world_snapshot(w, part);
		append(f, part);
		/* Leave time between two snapshots that no snapshot covers. */
		if (nr & 16)
			world_pass(w);
	}
	world_end(w);
	if (fclose(f))
		exit(2);
}

int main(int argc, char **argv)
{
	struct world *w = malloc(sizeof(*w));
	unsigned int nr;

	if (argc != 2 || !w)
		return 2;
	for (nr = 0; nr < 48; nr++)
		make(w, argv[1], nr);
	free(w);
	return 0;
}
