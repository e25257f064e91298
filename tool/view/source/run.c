// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both passes over a recording, from the begin to the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "view/source/source.h"
#include "view/source/tracks.h"

void source_free(struct source *s)
{
	size_t i;

	tracks_free(s->tracks);
	for (i = 0; s->views && i < s->spaces.nr; i++)
		view_free(&s->views[i]);
	free(s->views);
	for (i = 0; i < s->nr_queues; i++) {
		queue_free(s->queues[i]);
		free(s->queues[i]);
	}
	free(s->queues);
	read_map_free(&s->queue_by_key);
	cpus_free(&s->cpus);
	ends_free(&s->ends);
	threads_free(&s->threads);
	spaces_free(&s->spaces);
	blocks_close(&s->lists);
	objects_free(&s->objects);
	free(s->problem);
}

int source_run(struct source *s)
{
	int rc = source_scan(s);

	if (rc)
		return rc;
	s->views = calloc(s->spaces.nr + 1, sizeof(*s->views));
	if (!s->views)
		return -ENOMEM;
	rc = tracks_new(s, &s->tracks);
	if (!rc && lseek(s->fd, 0, SEEK_SET) < 0)
		rc = -errno;
	return rc ?: source_tell(s);
}
