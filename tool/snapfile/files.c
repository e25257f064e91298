// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of the snapshots that this run has written.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "snapfile/files.h"

void flight_files_look(struct flight_files *f)
{
	size_t i, nr = 0;

	for (i = 0; i < f->nr; i++) {
		if (access(f->paths[i], F_OK))
			free(f->paths[i]);
		else
			f->paths[nr++] = f->paths[i];
	}
	f->nr = nr;
}

/*
 * Make an eighth of the list free, so that this is not done again for each new
 * snapshot.
 */
static void forget_oldest(struct flight_files *f)
{
	const size_t most = FLIGHT_FILES_MAX - FLIGHT_FILES_MAX / 8;
	size_t i, too_many = f->nr > most ? f->nr - most : 0;

	for (i = 0; i < too_many; i++)
		free(f->paths[i]);
	memmove(f->paths, f->paths + too_many, (f->nr - too_many) * sizeof(*f->paths));
	f->nr -= too_many;
	f->forgotten += too_many;
}

void flight_files_add(struct flight_files *f, const char *path)
{
	if (f->nr == FLIGHT_FILES_MAX) {
		flight_files_look(f);
		forget_oldest(f);
	}
	/* The kernel allocates the list's pages when they are used. */
	if (!f->paths)
		f->paths = calloc(FLIGHT_FILES_MAX, sizeof(*f->paths));
	if (f->paths)
		f->paths[f->nr] = strdup(path);
	if (f->paths && f->paths[f->nr])
		f->nr++;
}

void flight_files_free(struct flight_files *f)
{
	while (f->nr)
		free(f->paths[--f->nr]);
	free(f->paths);
	f->paths = NULL;
}
