// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors of PERFAUX_IOC_IDS: as long as one is open ids are put into
 * records. Notices wait in a queue of each; counters are of each, too.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "args.h"
#include "ids/ids.h"

/*
 * Of one payer: each mapping walks all of them. Those of all tasks are counted apart: who
 * is in a container that root made must not use up what root has.
 */
#define PA_SESSIONS_MAX		64

#define PA_QUEUE_DEFAULT	(64U << 10)
#define PA_QUEUE_MIN		(8U << 10)
#define PA_QUEUE_MAX		(1024U << 10)

struct pa_session {
	struct list_head list;
	u64 number;			/* they are numbered from 1 */
	kuid_t uid;
	kuid_t payer;
	bool all;			/* tasks of all users */
	struct pid_namespace *pid_ns;
	wait_queue_head_t wait;
	struct mutex reader;		/* one at a time; outside of lock */
	struct mutex lock;		/* the fields below */
	struct perfaux_ids_stats stats;
	u8 *queue;
	u32 queue_size;
	u32 used;			/* whole notices, from the start */
};

static LIST_HEAD(pa_sessions);
/* mmap_lock is outside of this: nothing here may touch user memory under it. */
static DEFINE_MUTEX(pa_sessions_lock);
static u64 pa_sessions_number;

kuid_t pa_ids_payer(void)
{
	struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

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
 * A mapping's result, or that of a file that was deferred. pa_sessions_lock
 * held.
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
	/* Who is about to wait, and poll(), look without the lock. */
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

/*
 * Hands out what fits, and only then takes it out of the queue. s->reader held:
 * meanwhile others can only add to the end. Returns bytes, 0 if there is no
 * notice, or -errno.
 */
static ssize_t pa_session_hand_out(struct pa_session *s, char __user *ubuf,
				   void *buf, size_t size)
{
	size_t n = 0;
	bool any;

	mutex_lock(&s->lock);
	any = s->used;
	while (n < s->used) {
		const struct perfaux_notice *notice = (void *)(s->queue + n);

		if (notice->size > size - n)
			break;
		n += notice->size;
	}
	memcpy(buf, s->queue, n);
	mutex_unlock(&s->lock);
	if (!n)
		return any ? -EINVAL : 0;
	if (copy_to_user(ubuf, buf, n))
		return -EFAULT;

	mutex_lock(&s->lock);
	WRITE_ONCE(s->used, s->used - n);
	memmove(s->queue, s->queue + n, s->used);
	mutex_unlock(&s->lock);
	return n;
}

/*
 * s->reader held: so a session has one copy at a time, however many wait for a notice.
 * Returns bytes, 0 if another reader was faster, or -errno.
 */
static ssize_t pa_session_copy(struct pa_session *s, char __user *ubuf, size_t size)
{
	ssize_t ret;
	void *buf;

	if (!READ_ONCE(s->used))
		return 0;
	/* A copy: a fault takes mmap_lock, which is outside of s->lock. */
	buf = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!buf)
		return -ENOMEM;
	ret = pa_session_hand_out(s, ubuf, buf, size);
	kvfree(buf);
	return ret;
}

/*
 * For a notice, and for other readers, one of which may take as long as the memory does that
 * it reads into (FUSE, userfaultfd): a signal ends that. With 0 s->reader is held.
 */
static int pa_session_wait(struct pa_session *s, bool nonblock)
{
	int ret;

	if (nonblock)
		return READ_ONCE(s->used) && mutex_trylock(&s->reader) ? 0 : -EAGAIN;
	ret = wait_event_interruptible(s->wait, READ_ONCE(s->used));
	if (!ret && mutex_lock_interruptible(&s->reader))
		ret = -ERESTARTSYS;
	return ret;
}

static ssize_t pa_session_read(struct file *file, char __user *ubuf,
			       size_t size, loff_t *pos)
{
	struct pa_session *s = file->private_data;
	ssize_t ret = 0;

	if (!size)
		return -EINVAL;
	size = min_t(size_t, size, s->queue_size);
	while (!ret) {
		ret = pa_session_wait(s, file->f_flags & O_NONBLOCK);
		if (ret)
			break;
		ret = pa_session_copy(s, ubuf, size);
		mutex_unlock(&s->reader);
	}
	return ret;
}

static __poll_t pa_session_poll(struct file *file, poll_table *wait)
{
	struct pa_session *s = file->private_data;

	poll_wait(file, &s->wait, wait);
	return READ_ONCE(s->used) ? EPOLLIN | EPOLLRDNORM : 0;
}

static void pa_session_stats(struct pa_session *s,
			     struct perfaux_ids_stats *stats)
{
	int i;

	mutex_lock(&s->lock);
	*stats = s->stats;
	mutex_unlock(&s->lock);
	stats->size = sizeof(*stats);
	stats->pending = stats->results[PERFAUX_ID_DEFERRED];
	for (i = 0; i < PERFAUX_NR_ID_RESULTS; i++)
		stats->pending -= stats->late[i];
}

static long pa_session_ioctl(struct file *file, unsigned int cmd,
			     unsigned long uarg)
{
	struct pa_session *s = file->private_data;
	struct perfaux_ids_stats stats;
	u32 usize;
	int ret;

	if (cmd != PERFAUX_IOC_IDS_STATS)
		return -ENOTTY;
	ret = pa_copy_arg(&stats, sizeof(stats), PERFAUX_IDS_STATS_SIZE_V0,
			  (void __user *)uarg);
	if (ret)
		return ret;
	usize = stats.size;
	pa_session_stats(s, &stats);
	return pa_copy_answer((void __user *)uarg, &stats, sizeof(stats),
			      usize);
}

static void pa_session_free(struct pa_session *s)
{
	put_pid_ns(s->pid_ns);
	kvfree(s->queue);
	kfree(s);
}

static void pa_session_remove(struct pa_session *s)
{
	mutex_lock(&pa_sessions_lock);
	list_del(&s->list);
	mutex_unlock(&pa_sessions_lock);
}

static int pa_session_release(struct inode *inode, struct file *file)
{
	struct pa_session *s = file->private_data;

	pa_session_remove(s);
	pa_ids_hook_put();
	pa_session_free(s);
	pa_ids_late_drop();
	return 0;
}

#ifdef CONFIG_PROC_FS
static const char * const pa_result_names[PERFAUX_NR_ID_RESULTS] = {
	[PERFAUX_ID_FOUND] = "found",
	[PERFAUX_ID_NO_NOTE] = "no_note",
	[PERFAUX_ID_NOT_ELF] = "not_elf",
	[PERFAUX_ID_TRUNCATED] = "truncated",
	[PERFAUX_ID_UNREADABLE] = "unreadable",
	[PERFAUX_ID_TOO_LARGE] = "too_large",
	[PERFAUX_ID_DEFERRED] = "deferred",
};

static void pa_session_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct perfaux_ids_stats stats;
	int i;

	pa_session_stats(file->private_data, &stats);
	for (i = 0; i < PERFAUX_NR_ID_RESULTS; i++) {
		seq_printf(m, "ids_%s:\t%llu\n", pa_result_names[i],
			   stats.results[i]);
		seq_printf(m, "late_%s:\t%llu\n", pa_result_names[i],
			   stats.late[i]);
	}
	seq_printf(m, "cached:\t%llu\n", stats.cached);
	seq_printf(m, "pending:\t%u\n", stats.pending);
	seq_printf(m, "notices:\t%llu\n", stats.notices);
	seq_printf(m, "notices_lost:\t%llu\n", stats.notices_lost);
	seq_printf(m, "long_ids:\t%llu\n", stats.long_ids);
}
#endif

static const struct file_operations pa_session_fops = {
	.owner		= THIS_MODULE,
	.read		= pa_session_read,
	.poll		= pa_session_poll,
	.unlocked_ioctl	= pa_session_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.release	= pa_session_release,
	.llseek		= noop_llseek,
#ifdef CONFIG_PROC_FS
	.show_fdinfo	= pa_session_show_fdinfo,
#endif
};

static int pa_session_add(struct pa_session *s)
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

/* @arg is checked. Returns a descriptor or -errno. */
int pa_ids_session_open(const struct perfaux_ids *arg)
{
	struct pa_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->queue_size = arg->queue_size ?: PA_QUEUE_DEFAULT;
	s->queue = kvmalloc(s->queue_size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	s->uid = current_uid();
	s->payer = pa_ids_payer();
	s->all = perfmon_capable();
	s->pid_ns = get_pid_ns(task_active_pid_ns(current));
	init_waitqueue_head(&s->wait);
	mutex_init(&s->reader);
	mutex_init(&s->lock);
	if (!s->queue)
		goto err;
	ret = pa_ids_hook_get();
	if (ret)
		goto err;

	ret = pa_session_add(s);
	if (ret)
		goto err_hook;
	ret = anon_inode_getfd("[perfaux_ids]", &pa_session_fops, s,
			       O_RDONLY | O_CLOEXEC);
	if (ret >= 0)
		return ret;

	pa_session_remove(s);
	pa_ids_late_drop();
err_hook:
	pa_ids_hook_put();
err:
	pa_session_free(s);
	return ret;
}

int pa_ids_check(const struct perfaux_ids *arg)
{
	if (arg->flags || arg->reserved)
		return -EINVAL;
	if (arg->queue_size && (arg->queue_size < PA_QUEUE_MIN ||
				arg->queue_size > PA_QUEUE_MAX))
		return -EINVAL;
	return 0;
}
