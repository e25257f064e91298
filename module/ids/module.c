// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notices about kernel modules that are loaded. When a module is COMING its code may
 * run, but its notes are in sysfs only when it is LIVE (mod_sysfs_setup()). So the
 * notice comes when the module is LIVE, and has the time of COMING.
 */
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched/clock.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "ids/ids.h"

struct pa_module {
	struct list_head list;
	const struct module *mod;
	u64 time;
};

static LIST_HEAD(pa_modules);		/* COMING */
static DEFINE_MUTEX(pa_modules_lock);

struct pa_notes_reader {
	struct pa_elf_reader reader;
	const void *data;
};

static int pa_notes_read(struct pa_elf_reader *reader, u64 offset, void *buf,
			 u32 len)
{
	struct pa_notes_reader *r = container_of(reader, struct pa_notes_reader,
						 reader);

	memcpy(buf, r->data + offset, len);
	return 0;
}

/* Parse one file of .../notes. Its section is in memory, at ->private. */
static int pa_module_note(struct kernfs_node *node, struct pa_elf_id *id)
{
	const struct bin_attribute *attr = node->priv;
	struct pa_notes_reader r = {
		.reader.read = pa_notes_read,
		.reader.size = attr->size,
		.data = attr->private,
	};

	return pa_elf_notes(&r.reader, 0, attr->size, 4, id);
}

static void pa_module_id(struct module *mod, struct pa_elf_id *id)
{
	struct kernfs_node *dir, *node;

	id->size = 0;
	dir = kernfs_find_and_get(mod->mkobj.kobj.sd, "notes");
	if (!dir)
		return;
	node = kernfs_find_and_get(dir, ".note.gnu.build-id");
	if (node && pa_module_note(node, id))
		id->size = 0;
	kernfs_put(node);
	kernfs_put(dir);
}

/* Set @time to that of COMING. If COMING was not seen, set the present time, return false. */
static bool pa_module_take(const struct module *mod, u64 *time)
{
	struct pa_module *pm, *next;
	bool found = false;

	*time = local_clock();

	mutex_lock(&pa_modules_lock);
	list_for_each_entry_safe(pm, next, &pa_modules, list) {
		if (pm->mod != mod)
			continue;
		*time = pm->time;
		list_del(&pm->list);
		kfree(pm);
		found = true;
	}
	mutex_unlock(&pa_modules_lock);
	return found;
}

static void pa_module_coming(const struct module *mod)
{
	struct pa_module *pm = kmalloc(sizeof(*pm), GFP_KERNEL);

	/* Without memory, the notice has the time of LIVE. */
	if (!pm)
		return;
	pm->mod = mod;
	pm->time = local_clock();
	mutex_lock(&pa_modules_lock);
	list_add(&pm->list, &pa_modules);
	mutex_unlock(&pa_modules_lock);
}

/*
 * Make a notice, without the address if the kernel is locked down for confidentiality. perf
 * hides data in this case too (perf_event_open() checks the same for PERF_SAMPLE_REGS_INTR).
 */
static void pa_module_notice(const struct module *mod, u64 time,
			     const struct pa_elf_id *id)
{
	const bool hidden = security_locked_down(LOCKDOWN_PERF);
	const struct pa_ids_map map = {
		.time = time,
		.start = hidden ? 0 : (unsigned long)pa_module_text(mod),
		.length = pa_module_text_size(mod),
		.session = U64_MAX,
		.name = mod->name,
	};

	pa_ids_notice(&map, PERFAUX_NOTICE_MODULE, id);
}

static void pa_module_live(struct module *mod)
{
	struct pa_elf_id id;
	u64 time;

	pa_module_take(mod, &time);
	if (!pa_ids_any_session())
		return;
	pa_module_id(mod, &id);
	pa_module_notice(mod, time, &id);
}

/* If the module is still in the list, it did not become LIVE, but its code may have run. */
static void pa_module_going(const struct module *mod)
{
	const struct pa_elf_id none = { .size = 0 };
	u64 time;

	if (pa_module_take(mod, &time))
		pa_module_notice(mod, time, &none);
}

static int pa_module_event(struct notifier_block *nb, unsigned long state,
			   void *data)
{
	struct module *mod = data;

	switch (state) {
	case MODULE_STATE_COMING:
		pa_module_coming(mod);
		break;
	case MODULE_STATE_LIVE:
		pa_module_live(mod);
		break;
	case MODULE_STATE_GOING:
		pa_module_going(mod);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block pa_module_nb = {
	.notifier_call = pa_module_event,
};

int pa_ids_module_init(void)
{
	return register_module_notifier(&pa_module_nb);
}

void pa_ids_module_exit(void)
{
	struct pa_module *pm, *next;

	unregister_module_notifier(&pa_module_nb);
	list_for_each_entry_safe(pm, next, &pa_modules, list)
		kfree(pm);
}
