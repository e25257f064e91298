// SPDX-License-Identifier: GPL-2.0-only
/*
 * Late ids: files that cannot be read while they are being mapped, or not within the
 * bounds of ids.h. A worker reads such a file, once for all mappings that wait for the
 * file when the worker begins. The read may take forever (a FUSE server that does not
 * answer). So nobody waits for a worker except the removal of the module, and a file
 * that is being read prevents that removal. The number of workers that one server, or
 * one user, can block is bounded, so the files of others are still read.
 *
 * A mapping that no session asks about any more is dropped.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "ids/ids.h"
#include "ring/process.h"

/* The most files that are read at a time. Each may keep a kernel thread forever. */
#define PA_READ_MAX		128
#define PA_READ_MAX_USER	32
#define PA_READ_MAX_SB		8

/* The most mappings that wait. A process with many libraries maps some hundred files. */
#define PA_WAIT_MAX		4096
#define PA_WAIT_MAX_USER	1024

struct pa_late_map {
	struct list_head list;
	kuid_t uid;			/* pa_payer() */
	struct pa_ids_map map;
	char name[];
};

struct pa_late {
	struct list_head list;		/* of pa_late_waiting or _reading */
	struct list_head maps;		/* that wait for the next read */
	struct list_head asked;		/* that wait for the present one */
	struct work_struct work;
	struct file *file;
	kuid_t uid;			/* pa_payer() of the first mapping */
};

static struct workqueue_struct *pa_late_wq;

/* Protects the lists and the counter below. Taken after mmap_lock, before pa_sessions_lock. */
static DEFINE_MUTEX(pa_late_lock);
static LIST_HEAD(pa_late_waiting);
static LIST_HEAD(pa_late_reading);
static unsigned int pa_late_maps;

static struct inode *pa_late_inode(const struct file *file)
{
	return file->f_mapping->host;
}

static void pa_late_map_free(struct pa_late_map *m)
{
	put_pid(m->map.pid);
	put_pid(m->map.tid);
	kfree(m);
}

static void pa_late_map_done(struct pa_late_map *m)
{
	list_del(&m->list);
	pa_late_map_free(m);
	pa_late_maps--;
}

/* Return whether @late may be read now. */
static bool pa_late_may_read(const struct pa_late *late)
{
	const struct super_block *sb = pa_late_inode(late->file)->i_sb;
	unsigned int all = 0, same_sb = 0, same_user = 0;
	const struct pa_late *other;

	list_for_each_entry(other, &pa_late_reading, list) {
		all++;
		same_sb += pa_late_inode(other->file)->i_sb == sb;
		same_user += uid_eq(other->uid, late->uid);
	}
	return all < PA_READ_MAX && same_sb < PA_READ_MAX_SB &&
	       same_user < PA_READ_MAX_USER;
}

/* Start the reads that wait, in order, if the bounds allow them. */
static void pa_late_start(void)
{
	struct pa_late *late, *next;

	list_for_each_entry_safe(late, next, &pa_late_waiting, list) {
		if (!pa_late_may_read(late))
			continue;
		list_move_tail(&late->list, &pa_late_reading);
		queue_work(pa_late_wq, &late->work);
	}
}

/* Free @late, which is on no list. The caller keeps the module from being removed. */
static void pa_late_free(struct pa_late *late)
{
	fput(late->file);
	kfree(late);
	module_put(THIS_MODULE);
}

static void pa_late_answer(struct pa_late *late, int result,
			   const struct pa_elf_id *id)
{
	struct pa_late_map *m, *next;

	list_for_each_entry_safe(m, next, &late->asked, list) {
		if (!result)
			pa_ids_notice(&m->map, PERFAUX_NOTICE_LATE_ID, id);
		/* Queue the notice first: when no id is pending, all notices must be there. */
		pa_ids_count_late(&m->map, result);
		pa_late_map_done(m);
	}
}

/* Read a file, and keep the answer under the same conditions as pa_ids_find(). */
static int pa_late_read(struct file *file, struct pa_elf_id *id)
{
	struct pa_ids_key key;
	bool keep;
	int ret;

	id->size = 0;
	keep = pa_ids_access(file) == PA_IDS_READ &&
	       pa_ids_cache_key(file, &key);
	ret = pa_ids_read_file(file, id);
	if (keep)
		pa_ids_cache_add(file, &key, id, ret);
	return ret;
}

static void pa_late_work(struct work_struct *work)
{
	struct pa_late *late = container_of(work, struct pa_late, work);
	struct pa_elf_id id;
	int ret;

	mutex_lock(&pa_late_lock);
	/* The file may have changed before mappings that came during the read: read it again. */
	while (!list_empty(&late->maps)) {
		list_splice_init(&late->maps, &late->asked);
		mutex_unlock(&pa_late_lock);
		ret = pa_late_read(late->file, &id);
		mutex_lock(&pa_late_lock);
		pa_late_answer(late, ret, &id);
	}
	list_del(&late->list);
	pa_late_start();
	mutex_unlock(&pa_late_lock);
	/* pa_ids_late_exit() waits for the rest of this function. */
	pa_late_free(late);
}

static unsigned int pa_late_maps_of(const struct list_head *list, kuid_t uid)
{
	const struct pa_late_map *m;
	const struct pa_late *late;
	unsigned int n = 0;

	list_for_each_entry(late, list, list) {
		list_for_each_entry(m, &late->maps, list)
			n += uid_eq(m->uid, uid);
		list_for_each_entry(m, &late->asked, list)
			n += uid_eq(m->uid, uid);
	}
	return n;
}

static struct pa_late *pa_late_find(const struct list_head *list,
				    const struct file *file)
{
	struct pa_late *late;

	list_for_each_entry(late, list, list)
		if (pa_late_inode(late->file) == pa_late_inode(file))
			return late;
	return NULL;
}

static struct pa_late *pa_late_new(struct file *file)
{
	struct pa_late *late;

	/*
	 * Fail if the module is being removed: the removal waits for the
	 * caller, and would then wait for the file.
	 */
	if (!try_module_get(THIS_MODULE))
		return NULL;
	late = kmalloc(sizeof(*late), GFP_KERNEL_ACCOUNT);
	if (!late) {
		module_put(THIS_MODULE);
		return NULL;
	}
	INIT_WORK(&late->work, pa_late_work);
	INIT_LIST_HEAD(&late->maps);
	INIT_LIST_HEAD(&late->asked);
	late->file = get_file(file);
	late->uid = pa_payer();
	return late;
}

static struct pa_late_map *pa_late_map_new(const struct pa_ids_map *map)
{
	size_t size = strlen(map->name) + 1;
	struct pa_late_map *m;

	m = kmalloc(struct_size(m, name, size), GFP_KERNEL_ACCOUNT);
	if (!m)
		return NULL;
	m->uid = pa_payer();
	m->map = *map;
	memcpy(m->name, map->name, size);
	m->map.name = m->name;
	get_pid(m->map.pid);
	get_pid(m->map.tid);
	return m;
}

static bool pa_late_full(kuid_t uid)
{
	return pa_late_maps >= PA_WAIT_MAX ||
	       pa_late_maps_of(&pa_late_waiting, uid) +
	       pa_late_maps_of(&pa_late_reading, uid) >= PA_WAIT_MAX_USER;
}

/* Return @late if it was not needed, so that it can be freed without the lock. */
static struct pa_late *pa_late_add(struct pa_late *late, struct pa_late_map *m)
{
	struct pa_late *other = pa_late_find(&pa_late_reading, late->file);

	if (!other)
		other = pa_late_find(&pa_late_waiting, late->file);
	if (!other)
		list_add_tail(&late->list, &pa_late_waiting);
	list_add_tail(&m->list, other ? &other->maps : &late->maps);
	pa_late_maps++;
	/* Count the mapping before it can be answered. */
	pa_ids_count_deferred(&m->map);
	pa_late_start();
	return other ? late : NULL;
}

bool pa_ids_late_queue(struct file *file, const struct pa_ids_map *map)
{
	/* Allocate without the lock, because the allocation may wait for memory. */
	struct pa_late *late = pa_late_new(file);
	struct pa_late_map *m = pa_late_map_new(map);
	bool full = true;

	if (late && m) {
		mutex_lock(&pa_late_lock);
		full = pa_late_full(m->uid);
		if (!full)
			late = pa_late_add(late, m);
		mutex_unlock(&pa_late_lock);
	}
	if (late)
		pa_late_free(late);
	if (m && full)
		pa_late_map_free(m);
	return !full;
}

static void pa_late_drop_unwanted(struct list_head *maps)
{
	struct pa_late_map *m, *next;

	list_for_each_entry_safe(m, next, maps, list)
		if (!pa_ids_is_wanted(&m->map))
			pa_late_map_done(m);
}

void pa_ids_late_drop(void)
{
	struct pa_late *late, *next;
	LIST_HEAD(unwanted);

	mutex_lock(&pa_late_lock);
	list_for_each_entry(late, &pa_late_reading, list) {
		pa_late_drop_unwanted(&late->asked);
		pa_late_drop_unwanted(&late->maps);
	}
	list_for_each_entry_safe(late, next, &pa_late_waiting, list) {
		pa_late_drop_unwanted(&late->maps);
		if (list_empty(&late->maps))
			list_move(&late->list, &unwanted);
	}
	mutex_unlock(&pa_late_lock);
	list_for_each_entry_safe(late, next, &unwanted, list)
		pa_late_free(late);
}

int pa_ids_late_init(void)
{
	pa_late_wq = alloc_workqueue("perfaux_ids", WQ_UNBOUND, PA_READ_MAX);
	return pa_late_wq ? 0 : -ENOMEM;
}

void pa_ids_late_exit(void)
{
	destroy_workqueue(pa_late_wq);
}
