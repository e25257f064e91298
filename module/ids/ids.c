// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the build-id of the file, or [vdso], that is being mapped.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ids/ids.h"

static bool build_ids;
module_param(build_ids, bool, 0444);
MODULE_PARM_DESC(build_ids, "Put build-ids into mmap records always, not only while somebody asks for them");

/*
 * Return the user whose sessions may see mappings of current, besides the sessions
 * of all tasks. There is no such user if the program has more rights than its user,
 * or if its user may not read the program: in these cases perf ends the events of
 * others (perf_event_exec(), begin_new_exec()).
 */
static kuid_t pa_ids_user(void)
{
	const struct cred *cred = current_cred();

	if (!uid_eq(cred->uid, cred->euid) || !uid_eq(cred->uid, cred->suid) ||
	    !gid_eq(cred->gid, cred->egid) || !gid_eq(cred->gid, cred->sgid) ||
	    !pa_current_is_dumpable())
		return INVALID_UID;
	return cred->uid;
}

static void pa_ids_map_fill(struct pa_ids_map *map, struct vm_area_struct *vma)
{
	struct file *file = vma->vm_file;

	*map = (struct pa_ids_map) {
		.time = local_clock(),
		.pid = task_tgid(current),
		.tid = task_pid(current),
		.uid = pa_ids_user(),
		.start = vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
		.pgoff = (u64)vma->vm_pgoff << PAGE_SHIFT,
		.session = U64_MAX,
	};
	if (file) {
		const struct inode *inode = pa_file_user_inode(file);

		map->dev = inode->i_sb->s_dev;
		map->ino = inode->i_ino;
		map->generation = inode->i_generation;
	}
}

/*
 * Call @fn with the name that perf_event_mmap_event() gives the record. Used only
 * if a notice must be made, which is rare.
 */
static void pa_ids_with_name(struct pa_ids_map *map, struct file *file,
			     void (*fn)(struct pa_ids_map *map,
					struct file *file, void *arg),
			     void *arg)
{
	char *buf = file ? kmalloc(PATH_MAX, GFP_KERNEL) : NULL;

	map->name = file ? "//enomem" : "[vdso]";
	if (buf) {
		map->name = d_path(pa_file_user_path(file), buf,
				   PATH_MAX - sizeof(u64));
		if (IS_ERR(map->name))
			map->name = "//toolong";
	}
	fn(map, file, arg);
	kfree(buf);
}

static void pa_ids_long(struct pa_ids_map *map, struct file *file, void *arg)
{
	pa_ids_notice(map, PERFAUX_NOTICE_LONG_ID, arg);
}

static void pa_ids_defer(struct pa_ids_map *map, struct file *file, void *arg)
{
	if (!pa_ids_late_queue(file, map))
		pa_ids_count(map, PERFAUX_ID_UNREADABLE, false);
}

/*
 * Find the id of @file. Without @may_read only pages that are in memory are used. Sets @cached
 * if the answer was in the cache.
 */
static int pa_ids_find(struct file *file, bool may_read, struct pa_elf_id *id,
		       bool *cached)
{
	enum pa_ids_access access = pa_ids_access(file);
	struct pa_ids_key key;
	bool keep;
	int ret;

	keep = access == PA_IDS_READ && pa_ids_cache_key(file, &key);
	if (keep && pa_ids_cache_find(&key, id, &ret)) {
		*cached = true;
		return ret;
	}
	if (!may_read && access != PA_IDS_NEVER)
		access = PA_IDS_PEEK;
	ret = pa_ids_read_mapped(file, access, id);
	if (keep)
		pa_ids_cache_add(file, &key, id, ret);
	return ret;
}

static int pa_ids_get(struct vm_area_struct *vma, struct pa_elf_id *id)
{
	const bool exec = vma->vm_flags & VM_EXEC;
	const bool wanted = pa_ids_record_is_wanted(exec);
	struct file *file = vma->vm_file;
	struct pa_ids_map map;
	bool cached = false;
	int ret = 0;

	/* Most mappings that no event records are of data: be quick with them. */
	if (!wanted && !exec)
		return PERFAUX_ID_NO_NOTE;
	if (!file && !pa_ids_vdso(vma, id))
		return PERFAUX_ID_NOT_ELF;
	if (file)
		ret = pa_ids_find(file, wanted && exec, id, &cached);
	if (!wanted || !exec || !pa_ids_any_session())
		return ret;

	pa_ids_map_fill(&map, vma);
	if (!pa_ids_is_wanted(&map))
		return ret;
	if (ret == PERFAUX_ID_DEFERRED) {
		pa_ids_with_name(&map, file, pa_ids_defer, NULL);
		return ret;
	}
	if (!ret && id->size > PA_ID_RECORD_SIZE)
		pa_ids_with_name(&map, file, pa_ids_long, id);
	pa_ids_count(&map, ret, cached);
	return ret;
}

/*
 * Runs in place of the kernel's build-id parser, only for calls from
 * perf_event_mmap_event(): process context, mmap_lock of current->mm held for
 * writing, may sleep. perf takes the result from @size, which is 0 if there is no
 * id. @build_id has PA_ID_RECORD_SIZE bytes.
 */
static int pa_ids_parse(struct vm_area_struct *vma, unsigned char *build_id,
			__u32 *size)
{
	struct pa_elf_id id;
	int ret;

	id.size = 0;
	if (pa_ids_header_look(vma, build_id, size))
		pa_ids_hook_header_unneeded();
	ret = pa_ids_get(vma, &id);
	if (!ret) {
		u32 n = min_t(u32, id.size, PA_ID_RECORD_SIZE);

		memcpy(build_id, id.data, n);
		memset(build_id + n, 0, PA_ID_RECORD_SIZE - n);
		*size = n;
	}
	pa_ids_hook_done();
	return ret ? -EINVAL : 0;
}

PA_SAME_TYPE(pa_build_id_parser, pa_ids_parse);

int pa_ids_init(void)
{
	int ret;

	pa_ids_hook_init(pa_ids_parse);
	pa_ids_vdso_init();
	pa_ids_wanted_init();
	ret = pa_ids_cache_init();
	if (ret)
		return ret;
	ret = pa_ids_late_init();
	if (ret)
		goto err_cache;
	ret = pa_ids_module_init();
	if (ret)
		goto err_late;
	if (build_ids) {
		ret = pa_ids_hook_get();
		if (ret) {
			pr_err("build_ids=1: this kernel has no parser of build-ids that could be redirected\n");
			goto err_module;
		}
	}
	return 0;

err_module:
	pa_ids_module_exit();
err_late:
	pa_ids_late_exit();
err_cache:
	pa_ids_cache_exit();
	return ret;
}

/* No session is left. */
void pa_ids_exit(void)
{
	if (build_ids)
		pa_ids_hook_put();
	pa_ids_hook_exit();
	pa_ids_module_exit();
	pa_ids_late_exit();
	pa_ids_cache_exit();
}
