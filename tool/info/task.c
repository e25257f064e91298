// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collect threads, their names, and the files that they map.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "info/info.h"
#include "stream/map_kind.h"

static bool same_name(const void *files, __u32 i, const void *name)
{
	return !strcmp(((const struct info_file *)files)[i].name, name);
}

/* Find or add a file. */
static struct info_file *find_file(struct info *info, const char *name)
{
	__u64 key = hash_string(name);
	struct info_file *f;
	__u32 i;

	if (read_map_find(&info->by_file, &key, same_name, info->files, name, &i))
		return &info->files[i];
	if (!(info->nr_files & (info->nr_files - 1))) {
		size_t room = info->nr_files ? info->nr_files * 2 : 1;

		f = realloc(info->files, room * sizeof(*f));
		if (!f)
			return NULL;
		info->files = f;
	}
	f = &info->files[info->nr_files];
	*f = (struct info_file) { .name = strdup(name) };
	if (!f->name || read_map_set(&info->by_file, key, info->nr_files)) {
		free(f->name);
		return NULL;
	}
	info->nr_files++;
	return f;
}

/*
 * Memory without a file has no build-id, and shared memory hardly ever has one. Maps of these would
 * only hide the files in the list.
 */
static bool is_listed(const char *name)
{
	const enum map_kind kind = map_kind(name);

	return kind != MAP_KIND_MEMORY && kind != MAP_KIND_SHARED;
}

static int add_mmap(struct info *info, const struct read_record *rec,
		    const struct read_sample *s)
{
	size_t at = rec->type == PERF_RECORD_MMAP ? REC_MMAP_NAME :
						    REC_MMAP2_NAME;
	size_t end = s->rest + sizeof(*rec->hdr);
	const char *name = (const char *)rec->hdr + at;
	struct info_file *f;

	if (end <= at || !memchr(name, 0, end - at) || !is_listed(name))
		return 0;
	f = find_file(info, name);
	if (!f)
		return -ENOMEM;
	if (rec->type == PERF_RECORD_MMAP2 &&
	    (rec->misc & REC_MISC_MMAP_BUILD_ID))
		f->with++;
	else
		f->without++;
	return 0;
}

int info_build_id(struct info *info, const struct read_record *rec)
{
	const char *name = (const char *)rec->hdr + 36;
	struct info_file *f;

	if (rec->size <= 36 || !memchr(name, 0, rec->size - 36))
		return 0;
	f = find_file(info, name);
	if (!f)
		return -ENOMEM;
	f->id = true;
	return 0;
}

static int add_comm(struct info *info, const struct read_record *rec,
		    const struct read_sample *s)
{
	const __u32 *body = read_body(rec);
	const char *comm = (const char *)(body + 2);
	struct info_thread *t;

	if (s->rest <= 8 || !memchr(comm, 0, s->rest - 8))
		return 0;
	t = info_thread(info, body[1]);
	if (!t)
		return -ENOMEM;
	t->pid = body[0];
	memset(t->comm, 0, sizeof(t->comm));
	strncat(t->comm, comm, sizeof(t->comm) - 1);
	return 0;
}

static int add_fork(struct info *info, const struct read_record *rec)
{
	const __u32 *body = read_body(rec);
	const struct info_thread *parent = info_find_thread(info, body[3]);
	char comm[16] = "";
	struct info_thread *t;

	if (parent)
		memcpy(comm, parent->comm, sizeof(comm));
	/* This may move the table that parent points into. */
	t = info_thread(info, body[2]);
	if (!t)
		return -ENOMEM;
	t->pid = body[0];
	t->ppid = body[1];
	t->exited = false;
	if (comm[0] && !t->comm[0])
		memcpy(t->comm, comm, sizeof(comm));
	return 0;
}

int info_task(struct info *info, const struct read_record *rec,
	      const struct read_sample *s)
{
	const __u32 *body = read_body(rec);
	struct info_thread *t;
	__u32 i;

	switch (rec->type) {
	case PERF_RECORD_COMM:
		return add_comm(info, rec, s);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return add_mmap(info, rec, s);
	case PERF_RECORD_FORK:
		return s->rest >= 24 ? add_fork(info, rec) : 0;
	case PERF_RECORD_EXIT:
		if (s->rest < 24 || !read_map_get(&info->by_tid, body[2], &i))
			return 0;
		t = &info->threads[i];
		t->exited = true;
		return 0;
	}
	return 0;
}
