/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libauxstream: read what auxrec records
 *
 * This header is the interface of the library, and its manual. It needs no other header of
 * auxrec. The numbers of causes are in <linux/perfaux.h> (enum perfaux_cause).
 *
 *	cc reader.c $(pkg-config --cflags --libs auxstream)
 *
 * A stream (perf's pipe format, with what auxrec adds) is read once, from a file, a pipe or
 * memory, without seeking:
 *
 *	struct auxstream *s = auxstream_open_fd(fd);
 *	struct auxstream_item item;
 *
 *	while (auxstream_next(s, &item) > 0)
 *		switch (item.kind) {
 *		case AUXSTREAM_AUX:		item.aux: data of a queue
 *		case AUXSTREAM_GAP:		item.gap: what is missing
 *		case AUXSTREAM_SAMPLE:		item.sample
 *		...
 *		}
 *	if (auxstream_problem(s))
 *		fprintf(stderr, "%s\n", auxstream_problem(s));
 *	auxstream_close(s);
 *
 * The library trusts no byte of a stream: sizes and counts in a stream cannot make the library
 * read outside of a record. Its memory has room for two records, one buffer, lists of the events
 * and of the CPUs, and, if the stream is compressed, zstd's window. An item that breaks a rule of
 * the format is AUXSTREAM_OTHER, with its header; "auxrec check" says which rule.
 *
 * Order: as in every perf stream, items are not in order of time. At a FINISHED_ROUND, sort and
 * process all items up to the largest time that was seen before the previous FINISHED_ROUND.
 * Keep later ones for the next FINISHED_ROUND. The items of one AUX queue come in order.
 *
 * The library prints nothing. It uses no global state: different streams can be read in
 * different threads at the same time. Functions may sleep in read(2), and are not safe in
 * signal handlers.
 */
#ifndef AUXSTREAM_H
#define AUXSTREAM_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* This number grows when functions or members are added. Members are added only at the end. */
#define AUXSTREAM_VERSION	1

#define AUXSTREAM_NOBODY	(~0U)	/* no task, or no CPU */
#define AUXSTREAM_MAIN_RING	16	/* a cause: the main ring of a CPU was full */

enum auxstream_kind {
	AUXSTREAM_OTHER,	/* any other record: see header */
	AUXSTREAM_KERNEL,	/* COMM, MMAP2, FORK ... (header->type below 64) */
	AUXSTREAM_SAMPLE,	/* a sample of an event that was recorded */
	AUXSTREAM_AUX,		/* AUX data: item.aux */
	AUXSTREAM_GAP,		/* something is missing: item.gap */
	AUXSTREAM_PAYLOAD,	/* raw data that came through the raw ring: item.payload */
	AUXSTREAM_SNAPSHOT,	/* a flight recorder's description of a snapshot */
};

/* An event of the stream. Pointers to events stay valid until auxstream_close(). */
struct auxstream_event {
	const struct perf_event_attr *attr;	/* without fields unknown to this build */
	const char *name;			/* as given to auxrec, or "type T config C" */
	__u32	index;				/* from 0, in the order of the stream */
};

struct auxstream_sample {
	__u64	has;		/* PERF_SAMPLE_*: which of these fields are valid */
	__u64	ip;
	__u64	addr;
	__u64	period;
	__u64	nr_chain;	/* entries in chain */
	const __u64 *chain;	/* PERF_SAMPLE_CALLCHAIN */
	const void *raw;	/* PERF_SAMPLE_RAW; not aligned */
	__u32	raw_size;
	/*
	 * If raw data did not fit into the sample, raw is NULL, and AUXSTREAM_PAYLOAD items with
	 * the number @payload contain the data. If the data is lost, @cause tells why.
	 */
	__u32	cause;		/* enum perfaux_cause; 0: not lost */
	__u64	payload;	/* number; 0: raw is the data */
	__u64	lost;		/* bytes */
};

/*
 * AUX data of one queue. A queue is a thread (cpu is AUXSTREAM_NOBODY) or a CPU (tid is
 * AUXSTREAM_NOBODY) of one PMU. Intel PT's data must be read with auxstream_data(); other
 * data is at @data.
 */
struct auxstream_aux {
	__u32	tid;
	__u32	cpu;
	__u64	size;		/* bytes in this item */
	__u64	offset;		/* of the first byte, in the queue (Intel PT) or in the span */
	__u64	begin;		/* of the span, ns */
	__u64	end;		/* of the span, ns; 0: not known (Intel PT) */
	const void *data;	/* @size bytes, not aligned; NULL: call auxstream_data() */
	__u32	flags;		/* PERF_AUX_FLAG_* of the span, where known */
};

/*
 * Something is missing: AUX data, payloads of a producer, or records of a main ring. Every
 * loss that auxrec reports in a stream is such an item, or a payload with a cause or with
 * no_sample, or a sample with a cause. (A stream of perf record reports losses of AUX data by
 * PERF_AUX_FLAG_TRUNCATED in AUX records, which are AUXSTREAM_KERNEL.)
 */
struct auxstream_gap {
	__u64	begin;		/* ns; 0: not known */
	__u64	end;		/* ns; 0: not known */
	__u64	count;		/* attempts to write, payloads, or records */
	__u64	bytes;		/* lost; 0: not known */
	__u32	cause;		/* enum perfaux_cause, or AUXSTREAM_MAIN_RING */
	__u32	tid;		/* AUXSTREAM_NOBODY: several, or not known */
	__u32	cpu;
};

/* Raw data of a sample, or of a producer in the kernel, of any length, in parts. */
struct auxstream_payload {
	__u64	number;		/* of the payload, from 1: its parts have the same */
	__u64	total;		/* bytes of the whole payload, or lost bytes */
	__u64	offset;		/* of this part in the payload */
	__u64	cookie;		/* a producer's number; 0: data of a sample of the item's event */
	const void *data;	/* @size bytes, not aligned */
	__u32	size;
	__u32	cause;		/* of a loss: there is no data; 0: not lost */
	bool	no_sample;	/* the payload's sample was lost: its main ring was full */
};

/* Times are ns of the recording's clock. */
struct auxstream_snapshot {
	__u64	recording;	/* random, the same in all snapshots of a recorder */
	__u64	number;		/* from 1 */
	__u64	trigger;	/* time of the trigger */
	__u64	complete_from;	/* records are complete from this time on; 0: from the start */
	__u64	complete_to;	/* records are complete up to this time */
	/* the same for the raw ring's data; both 0: not known */
	__u64	raw_from;	/* 0: from the start */
	__u64	raw_to;
	const char *name;	/* of the trigger */
};

struct auxstream_item {
	enum auxstream_kind kind;
	/* The record itself, 8-byte aligned, header->size bytes. Never NULL. */
	const struct perf_event_header *header;
	__u64	offset;		/* of the record in the stream; if compressed, of its block */
	__u64	number;		/* of the record, from 1 */
	const struct auxstream_event *event;	/* NULL: the record belongs to none */
	__u64	time;		/* ns; 0: none */
	__u64	id;		/* of the event that wrote the record; 0: none */
	__u32	pid, tid, cpu;	/* AUXSTREAM_NOBODY: not in the record */
	union {			/* by kind */
		struct auxstream_sample sample;
		struct auxstream_aux aux;
		struct auxstream_gap gap;
		struct auxstream_payload payload;
		struct auxstream_snapshot snapshot;
	};
};

struct auxstream;

/*
 * Put up to @size bytes into @buf. Return the number of bytes, 0 at the end of the stream, or
 * -errno.
 */
typedef ssize_t (*auxstream_fill_t)(void *context, void *buf, size_t size);

/*
 * auxstream_open() - open a stream whose bytes @fill supplies
 * auxstream_open_fd() - open a stream of a descriptor, which the caller must close
 *
 * Return: the stream, or NULL if there is no memory. Nothing is read yet.
 */
struct auxstream *auxstream_open(auxstream_fill_t fill, void *context);
struct auxstream *auxstream_open_fd(int fd);

/* Close the stream and free all that it returned. NULL is allowed. */
void auxstream_close(struct auxstream *s);

/*
 * auxstream_next() - get the next item
 *
 * @item, and pointers in it (but not the event), are valid until the next call. Compressed
 * records are decompressed.
 *
 * Return: 1; 0: the stream ends after a whole record; or, with auxstream_problem():
 *   -EBADMSG	this is not a stream, or no further record can be found in it
 *   -ENODATA	the stream ends within a record; all items before were whole
 *   -EPROTO	compressed data is damaged
 *   -ENOMEM	there is no memory
 *   -errno	of @fill
 * After an error or 0, each call returns the same.
 */
int auxstream_next(struct auxstream *s, struct auxstream_item *item);

/*
 * auxstream_data() - read bytes of the last item, whose kind is AUXSTREAM_AUX and whose
 * @aux.data is NULL
 *
 * The next auxstream_next() skips what was not read.
 *
 * Return: number of bytes; 0: all were read; or an error, as auxstream_next() returns it.
 */
ssize_t auxstream_data(struct auxstream *s, void *buf, size_t size);

/* After an error of auxstream_next() or auxstream_data(), return what is wrong; otherwise NULL. */
const char *auxstream_problem(const struct auxstream *s);

/* Return the event with this index, or NULL. More events can come until FINISHED_INIT. */
const struct auxstream_event *auxstream_event(const struct auxstream *s, __u32 index);

/* Return "MMAP2", "AUXTRACE" and so on, or "?". */
const char *auxstream_type_name(__u32 type);

/* Return the wording of auxrec for a cause of loss, never NULL. */
const char *auxstream_cause_name(__u32 cause);

#ifdef __cplusplus
}
#endif

#endif /* AUXSTREAM_H */
