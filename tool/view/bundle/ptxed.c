// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bundle for ptxed of libipt: the sideband of each queue, and a script that decodes one.
 *
 * libipt reads sideband as records of perf, all with the same sample_type and in order of time. A
 * primary file decides which process a queue decodes. A secondary file tells what is mapped.
 * The records are made from the address spaces, because libipt applies an exec of the primary
 * file only, and refuses the forks of threads: a new process has its maps here, and no fork.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "stream/records.h"
#include "view/bundle/bundle.h"

#define MAPS		"maps.pevent"
#define SCRIPT		"decode"

struct start {
	struct perf_event_header header;	/* PERF_RECORD_ITRACE_START */
	__u32	pid, tid;
	struct bundle_id id;
};

struct map {
	struct perf_event_header header;	/* PERF_RECORD_MMAP2 */
	__u32	pid, tid;
	__u64	start, len, offset;
	__u64	file[3];			/* nobody reads device and inode */
	__u32	prot, flags;
};

/* A record without a time gets the time at which the trace's clock is 0. */
static __u64 time_of(const struct bundle *b, __u64 time)
{
	return time ?: b->source->pt.clock.zero;
}

static int write_start(struct bundle *b, const struct queue *q)
{
	const __u32 pid = bundle_pid(b->source, q);
	const struct start start = {
		.header = { .type = PERF_RECORD_ITRACE_START, .size = sizeof(start) },
		.pid = pid, .tid = q->tid, .id = { pid, q->tid, time_of(b, 0) },
	};
	char name[BUNDLE_NAME];
	FILE *f = bundle_create(b, bundle_name(b->source, q, ".pevent", name), false);

	if (!f)
		return -EIO;
	fwrite(&start, sizeof(start), 1, f);
	return bundle_finish(b, name, f);
}

static void write_map(struct bundle *b, FILE *f, __u32 pid, __u64 time, const struct mapping *m)
{
	const char *file = bundle_object(b, m->object);
	const size_t len = file ? strlen(file) + 1 : 0, padded = ALIGN8(len);
	const struct bundle_id id = { pid, pid, time_of(b, time) };
	static const char zeros[8];
	struct map map = {
		.header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER },
		.pid = pid, .tid = pid,
		.start = m->start, .len = m->end - m->start, .offset = m->offset,
		.prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE,
	};

	if (!file || padded > REC_SIZE_MAX - sizeof(map) - sizeof(id))
		return;
	map.header.size = sizeof(map) + padded + sizeof(id);
	fwrite(&map, sizeof(map), 1, f);
	fwrite(file, len, 1, f);
	fwrite(zeros, padded - len, 1, f);
	fwrite(&id, sizeof(id), 1, f);
}

/* A place in the order of all changes, and in the changes of each space */
struct cursor {
	const struct spaces *spaces;
	struct blocks_window order, window;
	size_t	*next;		/* by space */
	__u64	time;		/* of the last change */
};

/* Write the change with a number in the order of all changes. Return 0 or -EIO. */
static int write_change(struct bundle *b, FILE *f, struct cursor *c, size_t number)
{
	const struct change_order *o = blocks_get(&c->spaces->order, &c->order, number);
	const struct space *space = o ? c->spaces->list[o->space] : NULL;
	const struct change *change;

	change = o ? blocks_get(&space->changes, &c->window, c->next[o->space]++) : NULL;
	if (!change)
		return diag(b->diag, -EIO, "cannot read a temporary file");
	/* The record of a change can be late, but libipt needs records in order of time. */
	if (change->time > c->time)
		c->time = change->time;
	if (!change->is_exec)
		write_map(b, f, space->pid, c->time, &change->mapping);
	return 0;
}

static int write_maps(struct bundle *b)
{
	struct cursor c = { .spaces = &b->source->spaces };
	int rc = 0, err;
	size_t i;
	FILE *f;

	c.next = calloc(c.spaces->nr + 1, sizeof(*c.next));
	if (!c.next)
		return diag(b->diag, -ENOMEM, "out of memory");
	f = bundle_create(b, MAPS, false);
	for (i = 0; f && !rc && i < c.spaces->order.nr; i++)
		rc = write_change(b, f, &c, i);
	free(c.next);
	free(c.order.elements);
	free(c.window.elements);
	err = f ? bundle_finish(b, MAPS, f) : -EIO;
	return rc ?: err;
}

/* Print a path as one word of a shell. */
static void print_quoted(FILE *f, const char *path)
{
	putc('\'', f);
	for (; *path; path++)
		if (*path == '\'')
			fputs("'\\''", f);
		else
			putc(*path, f);
	putc('\'', f);
}

static void print_kcore(struct bundle *b, FILE *f)
{
	const char *dir = b->source->options.places.kcore;
	char *full = dir ? realpath(dir, NULL) : NULL;

	if (!full)
		return;
	fputs(" \\\n\t--pevent:kcore ", f);
	print_quoted(f, full);
	fputs("/kcore", f);
	free(full);
}

static void print_options(struct bundle *b, FILE *f)
{
	const struct source_pt *pt = &b->source->pt;

	/* --cpu must come before --pt: there ptxed looks up the errata of the processor. */
	if (bundle_knows_processor(pt))
		fprintf(f, " --cpu %u/%u/%u", pt->family, pt->model, pt->stepping);
	if (pt->mtc_freq)
		fprintf(f, " --mtc-freq %u", pt->mtc_freq);
	if (pt->max_nonturbo)
		fprintf(f, " --nom-freq %u", pt->max_nonturbo);
	if (pt->tsc_ctc_d)
		fprintf(f, " --cpuid-0x15.eax %u --cpuid-0x15.ebx %u", pt->tsc_ctc_d,
			pt->tsc_ctc_n);
	fprintf(f, " \\\n\t--pevent:sample-type %#x --pevent:time-shift %llu --pevent:time-mult %llu --pevent:time-zero %llu",
		(unsigned int)BUNDLE_SAMPLE_TYPE, pt->clock.shift, pt->clock.mult,
		pt->clock.zero);
	print_kcore(b, f);
}

static int write_script(struct bundle *b)
{
	FILE *f = bundle_create(b, SCRIPT, true);

	if (!f)
		return -EIO;
	fputs("#!/bin/sh\n"
	      "# decode NAME [OPTION]...: decode NAME.pt with ptxed of libipt, or with $PTXED\n"
	      "cd \"$(dirname \"$0\")\" || exit\n"
	      "name=${1%.pt}\n"
	      "shift\n"
	      "exec \"${PTXED:-ptxed}\"", f);
	print_options(b, f);
	fputs(" \\\n\t--pevent:primary \"$name.pevent\" --pevent:secondary " MAPS
	      " \"$@\" --pt \"$name.pt\"\n", f);
	return bundle_finish(b, SCRIPT, f);
}

int bundle_ptxed(struct source *s, const char *path, struct diag *d)
{
	struct bundle b;
	int rc = bundle_open(&b, s, path, d);
	size_t i;

	for (i = 0; !rc && i < s->nr_queues; i++)
		if (s->queues[i]->tid != AUXSTREAM_NOBODY)
			rc = write_start(&b, s->queues[i]);
	rc = rc ?: write_maps(&b);
	rc = rc ?: write_script(&b);
	bundle_close(&b);
	return rc;
}
