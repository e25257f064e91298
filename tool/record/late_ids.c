// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the notices of the module about build-ids, and write records for them.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/late_ids.h"
#include "stream/records.h"
#include "stream/build.h"
#include "stream/map_kind.h"
#include "synth/synth.h"

/* How long ids_finish() waits for files that the module still reads. */
#define LATE_MAX	(2 * NSEC_PER_SEC)

/*
 * The limits of a live recording. Most of the waiting notices are for files that no recorded
 * task has mapped, so a full buffer of waiting notices is emptied.
 */
static const struct ids_limits recording = {
	.queue = 1U << 20, .waiting = 4U << 20, .names = 65536,
};

static bool set_has(const struct name_set *set, __u64 hash)
{
	return read_map_get(&set->hashes, hash, NULL);
}

static void set_add(struct name_set *set, __u64 hash, size_t max)
{
	if (set_has(set, hash))
		return;
	/* Empty a full set. At worst, auxrec then writes a record that is not needed. */
	if (set->hashes.nr >= max) {
		read_map_free(&set->hashes);
		set->incomplete = true;
	}
	if (read_map_set(&set->hashes, hash, 0))
		set->incomplete = true;
}

void ids_open(struct session *s)
{
	struct perfaux_ids arg = { .size = sizeof(arg) };
	int dev;

	s->ids->fd = -1;
	s->ids->limits = s->opt->flight.on ? s->opt->flight.ids : recording;
	arg.queue_size = s->ids->limits.queue;
	if (s->opt->no_buildid)
		return;
	dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	if (dev < 0) {
		s->ids->err = -errno;
		return;
	}
	s->ids->fd = ioctl(dev, PERFAUX_IOC_IDS, &arg);
	if (s->ids->fd >= 0)
		fcntl(s->ids->fd, F_SETFL, O_NONBLOCK);
	else
		s->ids->err = -errno;
	close(dev);
}

void ids_close(struct session *s)
{
	if (s->ids->fd >= 0)
		close(s->ids->fd);
	read_map_free(&s->ids->missing.hashes);
	read_map_free(&s->ids->written.hashes);
	free(s->ids->waiting);
}

void ids_map(struct ids *ids, const struct rec_mmap2 *map)
{
	const char *name = (const char *)map + REC_MMAP2_NAME;
	const size_t room = map->header.size - REC_MMAP2_NAME;

	if (map->header.size <= REC_MMAP2_NAME || !memchr(name, 0, room))
		return;
	if (map->header.misc & PERF_RECORD_MISC_MMAP_DATA || !map_has_file(name))
		return;
	ids->maps++;
	if (map->header.misc & REC_MISC_MMAP_BUILD_ID)
		return;
	ids->without++;
	set_add(&ids->missing, hash_string(name), ids->limits.names);
}

/* Write perf's build_id_event: pid, 20 bytes of id, its size, name. */
static int write_build_id(struct session *s, const struct perfaux_notice *n,
			  const char *name)
{
	const __u8 size = n->id_size > 20 ? 20 : n->id_size;
	__u8 id[24] = { 0 };

	memcpy(id, n->id, size);
	id[20] = size;
	build_begin(&s->out, REC_BUILD_ID,
		    PERF_RECORD_MISC_USER | REC_MISC_BUILD_ID_SIZE);
	build_add_u32(&s->out, -1U);
	build_add(&s->out, id, sizeof(id));
	build_add(&s->out, name, strlen(name) + 1);
	return build_end(&s->out);
}

/* Return 1 if the notice was handled, 0 if no map of its file has been seen, or -errno. */
static int late_id(struct session *s, const struct perfaux_notice *n,
		   const char *name)
{
	__u64 hash = hash_string(name);
	int err;

	/* If the set lacks some names, write the record: a superfluous record does no harm. */
	if (!set_has(&s->ids->missing, hash) && !s->ids->missing.incomplete)
		return 0;
	hash = hash_bytes(hash, n->id, n->id_size);
	if (set_has(&s->ids->written, hash))
		return 1;
	set_add(&s->ids->written, hash, s->ids->limits.names);
	s->ids->late++;
	err = write_build_id(s, n, name);
	return err && err != -E2BIG ? err : 1;
}

static int module_loaded(struct session *s, const struct perfaux_notice *n,
			 const char *name)
{
	int err = synth_module(s, n, name);

	s->ids->modules++;
	return err && err != -E2BIG ? err : 1;
}

/* Return 1 (the notice is done with), 0 (it must be kept) or -errno. */
static int take_notice(struct session *s, const struct perfaux_notice *n)
{
	const char *name = (const char *)n + n->name_offset;

	switch (n->type) {
	case PERFAUX_NOTICE_LATE_ID:
		return late_id(s, n, name);
	case PERFAUX_NOTICE_LONG_ID:
		s->ids->long_ids++;
		return 1;
	case PERFAUX_NOTICE_MODULE:
		return module_loaded(s, n, name);
	}
	return 1;
}

/* Handle the waiting notices. Notices that must wait longer move to the front of the buffer. */
static int take_waiting(struct session *s)
{
	struct ids *ids = s->ids;
	size_t at, kept = 0;
	int ret = 0;

	for (at = 0; at < ids->waiting_size;) {
		const struct perfaux_notice *n = (void *)(ids->waiting + at);
		const size_t size = n->size;

		ret = take_notice(s, n);
		if (ret < 0)
			return ret;
		if (!ret) {
			memmove(ids->waiting + kept, n, size);
			kept += size;
		}
		at += size;
	}
	ids->waiting_size = kept;
	return 0;
}

static void drop_waiting(struct ids *ids)
{
	size_t at;

	for (at = 0; at < ids->waiting_size; ids->dropped++)
		at += ((struct perfaux_notice *)(ids->waiting + at))->size;
	ids->waiting_size = 0;
}

int ids_pass(struct session *s)
{
	struct ids *ids = s->ids;
	ssize_t n;
	int err;

	if (ids->fd < 0)
		return 0;
	if (!ids->waiting) {
		ids->waiting = malloc(ids->limits.waiting);
		if (!ids->waiting)
			return -ENOMEM;
	}
	do {
		/*
		 * Most likely these notices are for files of tasks that are not
		 * recorded.
		 */
		if (ids->limits.waiting - ids->waiting_size < ids->limits.queue)
			drop_waiting(ids);
		n = read(ids->fd, ids->waiting + ids->waiting_size, ids->limits.queue);
		if (n > 0)
			ids->waiting_size += n;
		err = take_waiting(s);
	} while (!err && n > 0);
	return err;
}

static void get_stats(struct ids *ids)
{
	ids->stats.size = sizeof(ids->stats);
	if (ioctl(ids->fd, PERFAUX_IOC_IDS_STATS, &ids->stats))
		memset(&ids->stats, 0, sizeof(ids->stats));
}

int ids_finish(struct session *s)
{
	struct pollfd p = { .fd = s->ids->fd, .events = POLLIN };
	const __u64 end = now_ns() + LATE_MAX;
	int err;

	if (s->ids->fd < 0)
		return 0;
	for (;;) {
		/*
		 * Read the counters first: a notice that is not pending now has
		 * been sent.
		 */
		get_stats(s->ids);
		err = ids_pass(s);
		if (err || !s->ids->stats.pending || now_ns() >= end)
			return err;
		poll(&p, 1, 10);
	}
}
