// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: which ones see a mapping, what each session counts, its queue of notices.
 */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/string.h>

#include "ids/ids.h"
#include "ids/session.h"

/*
 * The most sessions of one payer, because each mapping walks all sessions. Sessions of all
 * tasks are counted separately: a user in a container that root made must not use up the
 * sessions that root may have.
 */
#define PA_SESSIONS_MAX		64

static LIST_HEAD(pa_sessions);
/* Taken after mmap_lock: nothing here may touch user memory while holding this lock. */
static DEFINE_MUTEX(pa_sessions_lock);
static u64 pa_sessions_number;

bool pa_ids_any_session(void)
{
	return !list_empty(&pa_sessions);
}

static bool pa_session_sees(const struct pa_session *s,
			    const struct pa_ids_map *map)
{
	if (s->number > map->session)
		return false;
	return s->all || (map->pid && uid_eq(map->uid, s->uid));
}

bool pa_ids_is_wanted(const struct pa_ids_map *map)
{
	struct pa_session *s;
	bool wanted = false;

	mutex_lock(&pa_sessions_lock);
	list_for_each_entry(s, &pa_sessions, list)
		wanted |= pa_session_sees(s, map);
	mutex_unlock(&pa_sessions_lock);
	return wanted;
}

/*
 * Count the result of a mapping or, if @late, of a file that was deferred.
 * pa_sessions_lock held.
 */
static void pa_sessions_count(const struct pa_ids_map *map, int result,
			      bool late, bool cached)
{
	struct pa_session *s;

	list_for_each_entry(s, &pa_sessions, list) {
		if (!pa_session_sees(s, map))
			continue;
		mutex_lock(&s->lock);
		(late ? s->stats.late : s->stats.results)[result]++;
		s->stats.cached += cached;
		mutex_unlock(&s->lock);
	}
}

void pa_ids_count(const struct pa_ids_map *map, int result, bool cached)
{
	mutex_lock(&pa_sessions_lock);
	pa_sessions_count(map, result, false, cached);
	mutex_unlock(&pa_sessions_lock);
}

void pa_ids_count_deferred(struct pa_ids_map *map)
{
	mutex_lock(&pa_sessions_lock);
	map->session = pa_sessions_number;
	pa_sessions_count(map, PERFAUX_ID_DEFERRED, false, false);
	mutex_unlock(&pa_sessions_lock);
}

void pa_ids_count_late(const struct pa_ids_map *map, int result)
{
	mutex_lock(&pa_sessions_lock);
	pa_sessions_count(map, result, true, false);
	mutex_unlock(&pa_sessions_lock);
}

/* s->lock held. */
static void pa_session_queue(struct pa_session *s, const struct pa_ids_map *map,
			     int type, const struct pa_elf_id *id)
{
	u32 name_offset = ALIGN(sizeof(struct perfaux_notice) + id->size, 8);
	u32 name_size = strlen(map->name) + 1;
	u32 size = ALIGN(name_offset + name_size, 8);
	struct perfaux_notice *notice;

	if (size > s->queue_size - s->used) {
		s->stats.notices_lost++;
		return;
	}
	notice = (void *)(s->queue + s->used);
	memset(notice, 0, size);
	notice->size = size;
	notice->type = type;
	notice->id_size = id->size;
	notice->time = map->time;
	notice->pid = map->pid ? pid_nr_ns(map->pid, s->pid_ns) : -1U;
	notice->tid = map->pid ? pid_nr_ns(map->tid, s->pid_ns) : -1U;
	notice->start = map->start;
	notice->length = map->length;
	notice->pgoff = map->pgoff;
	notice->ino = map->ino;
	notice->generation = map->generation;
	notice->major = MAJOR(map->dev);
	notice->minor = MINOR(map->dev);
	notice->name_offset = name_offset;
	notice->name_size = name_size;
	memcpy(notice->id, id->data, id->size);
	memcpy((u8 *)notice + name_offset, map->name, name_size);
	/* read() and poll() look at this without the lock. */
	WRITE_ONCE(s->used, s->used + size);
	s->stats.notices++;
}

void pa_ids_notice(const struct pa_ids_map *map, int type,
		   const struct pa_elf_id *id)
{
	struct pa_session *s;

	mutex_lock(&pa_sessions_lock);
	list_for_each_entry(s, &pa_sessions, list) {
		if (!pa_session_sees(s, map))
			continue;
		mutex_lock(&s->lock);
		if (id->size > PA_ID_RECORD_SIZE)
			s->stats.long_ids++;
		pa_session_queue(s, map, type, id);
		mutex_unlock(&s->lock);
		wake_up(&s->wait);
	}
	mutex_unlock(&pa_sessions_lock);
}

void pa_session_remove(struct pa_session *s)
{
	mutex_lock(&pa_sessions_lock);
	list_del(&s->list);
	mutex_unlock(&pa_sessions_lock);
}

int pa_session_add(struct pa_session *s)
{
	const struct pa_session *other;
	int n = 0;

	mutex_lock(&pa_sessions_lock);
	list_for_each_entry(other, &pa_sessions, list)
		n += other->all == s->all && uid_eq(other->payer, s->payer);
	if (n < PA_SESSIONS_MAX) {
		s->number = ++pa_sessions_number;
		list_add(&s->list, &pa_sessions);
	}
	mutex_unlock(&pa_sessions_lock);
	return n < PA_SESSIONS_MAX ? 0 : -EMFILE;
}
