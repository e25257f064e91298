// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptors of PERFAUX_IOC_IDS. As long as one is open, the module puts ids into
 * records. Each descriptor has a queue of notices, and counters.
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
#include "ids/session.h"
#include "ring/process.h"

#define PA_QUEUE_DEFAULT	(64U << 10)
#define PA_QUEUE_MIN		(8U << 10)
#define PA_QUEUE_MAX		(1024U << 10)

/*
 * Hand out the notices that fit, and only then take them out of the queue.
 * s->reader held: meanwhile others can only add to the end. Returns bytes, 0 if
 * there is no notice, or -errno.
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
 * s->reader held, so a session has one copy at a time, however many readers wait for a
 * notice. Returns bytes, 0 if another reader was faster, or -errno.
 */
static ssize_t pa_session_copy(struct pa_session *s, char __user *ubuf, size_t size)
{
	ssize_t ret;
	void *buf;

	if (!READ_ONCE(s->used))
		return 0;
	/* Copy to the kernel first: a page fault takes mmap_lock, which is taken before s->lock. */
	buf = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!buf)
		return -ENOMEM;
	ret = pa_session_hand_out(s, ubuf, buf, size);
	kvfree(buf);
	return ret;
}

/*
 * Wait for a notice, and for other readers. Another reader may take as long as the memory into
 * which it reads (FUSE, userfaultfd), so a signal ends the wait. If this returns 0, s->reader is
 * held.
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

/* Open a session. @arg is checked. Returns a descriptor or -errno. */
int pa_ids_session_open(const struct perfaux_ids *arg)
{
	struct pa_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	int ret = -ENOMEM;

	if (!s)
		return -ENOMEM;
	s->queue_size = arg->queue_size ?: PA_QUEUE_DEFAULT;
	s->queue = kvmalloc(s->queue_size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	s->uid = current_uid();
	s->payer = pa_payer();
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
