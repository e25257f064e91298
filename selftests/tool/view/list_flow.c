// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the calls and returns that auxview's decoder finds, to compare them with other decoders:
 * list_flow FILE [THREADS [SYMFS [libipt]]]
 *
 * Each line has the thread or "cpuN", what happened, two addresses, and the time. With "libipt",
 * the cache of the code is not used, and each run is decoded by libipt's block decoder.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/source/source.h"
#include "view/source/tracks.h"

static const char * const kinds[] = {
	[FLOW_CALL] = "call", [FLOW_RETURN] = "return", [FLOW_JUMP] = "jump",
	[FLOW_FAR_CALL] = "far-call", [FLOW_FAR_RETURN] = "far-return",
	[FLOW_INTERRUPT] = "interrupt", [FLOW_BEGIN] = "begin", [FLOW_END] = "end",
	[FLOW_SYNC] = "sync", [FLOW_CUT] = "cut", [FLOW_ERROR] = "error",
	[FLOW_NO_CODE] = "no-code",
};

static int name(struct timeline *t, __u32 number, const struct tl_name *desc)
{
	(void)t;
	(void)number;
	(void)desc;
	return 0;
}

static const struct timeline_ops ops = { .name = name };

static void warn_text(const char *text)
{
	warnx("%s", text);
}

static void list(struct source *s, size_t queue)
{
	const struct queue *q = s->queues[queue];
	const struct flow *f;

	while ((f = tracks_flow(s, queue))) {
		if (q->tid == TL_NOBODY)
			printf("cpu%u", q->cpu);
		else
			printf("%u", q->tid);
		printf(" %s %llx %llx %llu\n", kinds[f->kind], f->from, f->to, f->time);
	}
}

int main(int argc, char **argv)
{
	struct source_options options = { .warn = warn_text };
	struct timeline t = { .ops = &ops };
	struct source s;
	size_t i;
	int fd;

	if (argc < 2 || argc > 5)
		errx(2, "usage: list_flow FILE [THREADS [SYMFS [libipt]]]");
	options.threads = argc > 2 ? atoi(argv[2]) : 0;
	options.places.symfs = argc > 3 && *argv[3] ? argv[3] : NULL;
	options.only_libipt = argc > 4;
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		err(2, "%s", argv[1]);
	if (source_init(&s, fd, &t, &options) || source_scan(&s) || tracks_new(&s, &s.tracks))
		errx(1, "%s: cannot be read", argv[1]);
	for (i = 0; i < s.nr_queues; i++)
		list(&s, i);
	source_free(&s);
	return 0;
}
