/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bundles: directories with what another decoder of Intel PT needs. All bundles have the AUX data
 * of each thread or CPU as the PMU wrote it, and the switches of each CPU. They differ in the file
 * that describes the processes and their code.
 */
#ifndef VIEW_BUNDLE_H
#define VIEW_BUNDLE_H

#include <stdio.h>

#include "base/util.h"
#include "view/source/source.h"

/* Sideband and switches have records with this sample_type, in the order that perf defines. */
#define BUNDLE_SAMPLE_TYPE	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

/*
 * Write a bundle for LLDB, or for ptxed of libipt. @s was scanned. Return 0; -ENOENT: there is no
 * Intel PT; or -errno with a message.
 */
int bundle_lldb(struct source *s, const char *path, struct diag *d);
int bundle_ptxed(struct source *s, const char *path, struct diag *d);

/* The rest of this file is for the folder. */

struct bundle {
	struct source *source;
	const char *path;
	int	dir;
	struct diag *diag;
	char	**files;	/* of the objects, by their index; "": none was found */
	size_t	nr_files;
};

#define BUNDLE_NAME	64

/*
 * bundle.c: make the directory, with the data of all queues and the switches. Return as
 * bundle_lldb() does.
 */
int bundle_open(struct bundle *b, struct source *s, const char *path, struct diag *d);
void bundle_close(struct bundle *b);

/* files.c: */
/* "PID-TID" or "cpuN", and an ending. Return @name. */
const char *bundle_name(const struct source *s, const struct queue *q, const char *ending,
			char name[BUNDLE_NAME]);

/* The process of a queue of a thread, or TL_NOBODY if no record tells it */
__u32 bundle_pid(const struct source *s, const struct queue *q);

/* Make a file, or one that can be executed. Return NULL after a message. */
FILE *bundle_create(struct bundle *b, const char *name, bool executable);
/* Close @f. Return 0, or -errno after a message if something was not written. */
int bundle_finish(struct bundle *b, const char *name, FILE *f);

/*
 * objects.c: return the path of the file with an object's code, absolute or in the bundle. Return
 * NULL if there is no such file (the first call warns of this), or no memory.
 */
const char *bundle_object(struct bundle *b, struct object *o);

/*
 * processor.c: return whether libipt knows the recorded processor, and so its errata. libipt's
 * programs refuse others, for example those of virtual machines.
 */
bool bundle_knows_processor(const struct source_pt *pt);

/* switches.c: write the switches of each CPU that has a queue. Return 0, or -errno. */
int bundle_switches(struct bundle *b);

/* The end of each record: the fields of BUNDLE_SAMPLE_TYPE */
struct bundle_id {
	__u32	pid, tid;
	__u64	time;
};

struct bundle_switch {
	struct perf_event_header header;	/* PERF_RECORD_SWITCH_CPU_WIDE */
	__u32	other_pid, other_tid;		/* the task that runs before or after */
	struct bundle_id id;
};

#endif /* VIEW_BUNDLE_H */
