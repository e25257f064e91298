// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that cannot be read while they are being mapped: a worker does it. That
 * may take for ever (a FUSE server that does not answer), so each file has its
 * own work item on an unbound workqueue, there is a bound on how many wait, and
 * nobody waits for them but the removal of the module, which a waiting one
 * prevents.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "ids.h"

/* So many files may be waited for. */
#define PA_LATE_MAX	256

struct pa_late {
	struct work_struct work;
	struct file *file;
	struct pa_ids_map map;
	char name[];
};

static struct workqueue_struct *pa_late_wq;
static atomic_t pa_late_pending = ATOMIC_INIT(0);

static void pa_late_work(struct work_struct *work)
{
	struct pa_late *late = container_of(work, struct pa_late, work);
	struct pa_elf_id id;
	int ret;

	id.size = 0;
	ret = pa_ids_read_file(late->file, &id);
	if (!ret)
		pa_ids_notice(&late->map, PERFAUX_NOTICE_LATE_ID, &id);
	/* The notice first: who sees none pending has them all. */
	pa_ids_count_late(&late->map, ret);
	atomic_dec(&pa_late_pending);
	fput(late->file);
	put_pid(late->map.pid);
	put_pid(late->map.tid);
	kfree(late);
	/* pa_ids_late_exit() waits for the rest of this function. */
	module_put(THIS_MODULE);
}

/* Returns false if there are too many, or no memory. */
bool pa_ids_late_queue(struct file *file, const struct pa_ids_map *map)
{
	size_t size = strlen(map->name) + 1;
	struct pa_late *late;

	/*
	 * Not when the module is being removed: that waits for the caller and
	 * would then wait for the file.
	 */
	if (!try_module_get(THIS_MODULE))
		return false;
	if (atomic_inc_return(&pa_late_pending) > PA_LATE_MAX)
		goto err;
	late = kmalloc(struct_size(late, name, size), GFP_KERNEL_ACCOUNT);
	if (!late)
		goto err;
	INIT_WORK(&late->work, pa_late_work);
	late->file = get_file(file);
	late->map = *map;
	memcpy(late->name, map->name, size);
	late->map.name = late->name;
	get_pid(late->map.pid);
	get_pid(late->map.tid);
	queue_work(pa_late_wq, &late->work);
	return true;

err:
	atomic_dec(&pa_late_pending);
	module_put(THIS_MODULE);
	return false;
}

u32 pa_ids_late_pending(void)
{
	return atomic_read(&pa_late_pending);
}

int pa_ids_late_init(void)
{
	pa_late_wq = alloc_workqueue("perfaux_ids", WQ_UNBOUND, PA_LATE_MAX);
	return pa_late_wq ? 0 : -ENOMEM;
}

void pa_ids_late_exit(void)
{
	destroy_workqueue(pa_late_wq);
}
