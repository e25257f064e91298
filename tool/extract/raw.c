// SPDX-License-Identifier: GPL-2.0-only
/*
 * Extract the raw data of samples (auxrec extract --raw) to a file per event. The index
 * tells where the data of each sample is, whose it is and when the sample was taken.
 * See stream/payload.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extract/extract.h"
#include "stream/cause.h"
#include "stream/read_raw.h"

#define NAME_LEN	32

struct raw_file {
	FILE *f;		/* NULL: closed, because not all files can be open at a time */
	bool created;
	__u64 used;		/* extract_raw.uses at the last use */
	__u64 bytes;
};

/* One line of the index. */
struct raw_entry {
	__u64 number;		/* of a payload in parts, 0: no payload is open */
	__u64 total;
	__u64 got;
	__u64 offset;
	__u64 time;
	__u32 cpu, pid, tid;
	__u32 cause;
	bool no_sample;
	__u64 gap;		/* payloads that a producer lost; 0: this is a payload */
	__u64 cookie;		/* of a payload without event, otherwise 0 */
	size_t file;		/* index of the event */
};

struct extract_raw {
	struct extract *e;
	struct raw_file *files;
	size_t nr_files;
	__u64 uses;
	FILE *index;
	__u64 key;		/* of the payload event */
	struct raw_entry open;
};

static void file_name(size_t event, char name[NAME_LEN])
{
	snprintf(name, NAME_LEN, "event%zu.raw", event + 1);
}

static int failed(struct extract *e, const char *name)
{
	diag(&e->diag, -errno, "%s/%s: %s", e->dir, name, strerror(errno));
	return -ECANCELED;
}

/* Close the least recently used file of an event. -ENOENT: no file is open. */
static int close_oldest(struct extract_raw *x)
{
	struct raw_file *oldest = NULL;
	char name[NAME_LEN];
	FILE *f;
	size_t i;

	for (i = 0; i < x->nr_files; i++) {
		struct raw_file *file = &x->files[i];

		if (file->f && (!oldest || file->used < oldest->used))
			oldest = file;
	}
	if (!oldest)
		return -ENOENT;
	f = oldest->f;
	oldest->f = NULL;
	if (!fclose(f))
		return 0;
	file_name(oldest - x->files, name);
	return failed(x->e, name);
}

/* @flags: O_CREAT | O_EXCL, or O_APPEND. Return NULL with a message on failure. */
static FILE *open_file(struct extract_raw *x, const char *name, int flags)
{
	FILE *f;
	int fd, err;

	/* There can be more events than a process can have open files. */
	while ((fd = openat(x->e->dir_fd, name, O_WRONLY | O_CLOEXEC | flags,
			    0600)) < 0 && errno == EMFILE) {
		err = close_oldest(x);
		if (err == -ECANCELED)
			return NULL;
		if (err) {
			errno = EMFILE;
			break;
		}
	}
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f)
		return f;
	failed(x->e, name);
	if (fd >= 0)
		close(fd);
	return NULL;
}

static FILE *create(struct extract_raw *x, const char *name)
{
	return open_file(x, name, O_CREAT | O_EXCL);
}

static struct raw_file *get_file(struct extract_raw *x, size_t event)
{
	struct raw_file *file;
	char name[NAME_LEN];

	while (x->nr_files <= event) {
		if (grow((void **)&x->files, x->nr_files, sizeof(*x->files)))
			return NULL;
		x->files[x->nr_files++] = (struct raw_file){ .f = NULL };
	}
	file = &x->files[event];
	if (!file->f) {
		file_name(event, name);
		file->f = file->created ? open_file(x, name, O_APPEND) :
					  create(x, name);
		file->created |= !!file->f;
	}
	file->used = ++x->uses;
	return file->f ? file : NULL;
}

static int append(struct extract_raw *x, size_t event, const void *data,
		  size_t len)
{
	struct raw_file *file = get_file(x, event);
	char name[NAME_LEN];

	if (!file)
		return x->e->diag.msg[0] ? -ECANCELED : -ENOMEM;
	file_name(event, name);
	if (len && fwrite(data, len, 1, file->f) != 1)
		return failed(x->e, name);
	file->bytes += len;
	return 0;
}

static int write_entry(struct extract_raw *x, const struct raw_entry *entry)
{
	const char *name = read_event_name(x->e->attrs.list[entry->file]);
	const bool told = entry->cause || entry->gap;
	const bool lost = told || entry->got < entry->total;
	char file[NAME_LEN];

	if (!x->index)
		x->index = create(x, EXTRACT_INDEX);
	if (!x->index)
		return -ECANCELED;
	file_name(entry->file, file);
	x->e->nr_payloads++;
	fprintf(x->index,
		"%s %s offset=%llu bytes=%llu time=%llu.%09llu cpu=%d pid=%d tid=%d",
		lost ? "lost" : "data", file, entry->offset, entry->got,
		entry->time / NSEC_PER_SEC, entry->time % NSEC_PER_SEC,
		(int)entry->cpu, (int)entry->pid, (int)entry->tid);
	if (lost)
		fprintf(x->index, " lost=%llu cause=%s",
			entry->total - entry->got,
			told ? gap_cause_name(entry->cause) :
			       "not in the stream");
	if (entry->gap)
		fprintf(x->index, " payloads=%llu", entry->gap);
	if (entry->no_sample)
		fputs(" sample=lost", x->index);
	if (entry->cookie)
		fprintf(x->index, " cookie=%#llx", entry->cookie);
	fputs(" event=", x->index);
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name,
		      x->index);
	fputc('\n', x->index);
	return ferror(x->index) ? failed(x->e, EXTRACT_INDEX) : 0;
}

/* Write the index line of a payload in parts, which is complete or is not continued. */
static int close_entry(struct extract_raw *x)
{
	const struct raw_entry entry = x->open;

	if (!entry.number)
		return 0;
	x->open.number = 0;
	return write_entry(x, &entry);
}

static void begin_entry(const struct extract_raw *x, struct raw_entry *entry,
			const struct read_sample *s, size_t file)
{
	*entry = (struct raw_entry){
		.time = s->time, .cpu = s->cpu, .pid = s->pid, .tid = s->tid,
		.file = file,
		.offset = file < x->nr_files ? x->files[file].bytes : 0,
	};
}

static int begin_parts(struct extract_raw *x, const struct read_sample *s,
		       const struct auxrec_payload *h)
{
	const struct read_event *of = h->id ? read_attrs_find(&x->e->attrs,
							      h->id) : NULL;

	begin_entry(x, &x->open, s, (of ?: s->event)->index);
	x->open.number = h->number;
	x->open.total = h->total;
	x->open.cause = h->cause;
	x->open.no_sample = h->flags & AUXREC_PAYLOAD_NO_SAMPLE;
	x->open.gap = h->flags & AUXREC_PAYLOAD_GAP ? h->offset : 0;
	x->open.cookie = h->id ? 0 : h->cookie;
	/* Use the frame's time in the ring. The sample's time in the stream may be later. */
	if (h->time)
		x->open.time = h->time;
	return 0;
}

static int take_part(struct extract_raw *x, const struct read_sample *s,
		     const struct auxrec_payload *h)
{
	int err = 0;

	if (x->open.number != h->number)
		err = close_entry(x) ?: begin_parts(x, s, h);
	if (err || x->open.gap)
		return err ?: close_entry(x);
	if (h->offset != x->open.got || h->length > h->total - h->offset)
		return 0;
	err = append(x, x->open.file, s->raw + h->header_size, h->length);
	x->open.got += h->length;
	return err ?: (x->open.got == x->open.total || h->cause ?
		       close_entry(x) : 0);
}

static bool get_header(const struct extract_raw *x, const struct read_sample *s,
		       struct auxrec_payload *h)
{
	return x->key && read_payload(s, h) && h->key == x->key && h->number &&
	       (h->offset <= h->total || h->flags & AUXREC_PAYLOAD_GAP);
}

static int take_sample(struct extract_raw *x, const struct read_record *rec,
		       const struct read_sample *s)
{
	struct auxrec_payload h;
	struct auxrec_chunk chunk;
	struct raw_entry entry;
	int err;

	if (!(s->has & PERF_SAMPLE_RAW) || read_chunk(s, &chunk))
		return 0;
	if (get_header(x, s, &h)) {
		if (is_payload_event(&s->event->attr))
			return take_part(x, s, &h);
		/* The payload's parts come next, unless it is lost. */
		err = close_entry(x) ?: begin_parts(x, s, &h);
		return err ?: (h.cause ? close_entry(x) : 0);
	}
	err = close_entry(x);
	if (err || is_payload_event(&s->event->attr))
		return err;
	begin_entry(x, &entry, s, s->event->index);
	entry.total = read_raw_size(rec, s);
	entry.got = entry.total;
	err = append(x, entry.file, s->raw, entry.got);
	return err ?: write_entry(x, &entry);
}

static int take(void *ctx, const struct read_record *rec)
{
	struct extract_raw *x = ctx;
	struct extract *e = x->e;
	struct read_sample s;
	int rc;

	switch (rec->type) {
	case REC_ATTR:
		rc = read_attrs_add(&e->attrs, rec);
		if (e->attrs.nr &&
		    is_payload_event(&e->attrs.list[e->attrs.nr - 1]->attr))
			x->key = e->attrs.list[e->attrs.nr - 1]->attr.config1;
		return rc == -ENOMEM ? rc : 0;
	case REC_EVENT_UPDATE:
		rc = read_attrs_update(&e->attrs, rec);
		return rc == -ENOMEM ? rc : 0;
	case REC_COMPRESSED:
		return rec->inner ? 0 : read_inflate(e->stream);
	case PERF_RECORD_SAMPLE:
		return read_sample(&e->attrs, rec, &s) ? 0 :
		       take_sample(x, rec, &s);
	}
	return 0;
}

static int close_all(struct extract_raw *x)
{
	char name[NAME_LEN];
	int err = close_entry(x);
	size_t i;

	for (i = 0; i < x->nr_files; i++) {
		if (x->files[i].f && fclose(x->files[i].f) && !err) {
			file_name(i, name);
			err = failed(x->e, name);
		}
	}
	if (x->index && fclose(x->index) && !err)
		err = failed(x->e, EXTRACT_INDEX);
	free(x->files);
	return err;
}

int extract_raw(struct extract *e, read_fill_t fill, void *ctx)
{
	struct extract_raw x = { .e = e };
	int rc, err;

	raise_nofile();
	rc = extract_read(e, fill, ctx, take, &x);
	err = close_all(&x);
	return err ?: rc;
}
