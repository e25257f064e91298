// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a file descriptor to the perf event behind it. perf_fops is not
 * exported, so the file is recognised by its properties: an anonymous inode
 * named "[perf_event]" (perf_event_open()) whose mmap is the core kernel's
 * perf_mmap(). A module can imitate the name, but not the function.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/magic.h>
#include <linux/string.h>

#include "event/event.h"

/* perf_fops, once the file of a perf event was seen. */
static const struct file_operations *pa_perf_fops;

static bool pa_is_perf_file(struct file *file)
{
	static const char begins[] = "perf_mmap+0x0/";
	char symbol[KSYM_SYMBOL_LEN];

	if (file->f_op == READ_ONCE(pa_perf_fops))
		return true;
	if (file_inode(file)->i_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(file->f_path.dentry->d_name.name, "[perf_event]") ||
	    !file->f_op->mmap)
		return false;
	sprint_symbol(symbol, (unsigned long)file->f_op->mmap);
	/* A module's symbol ends in " [module]". */
	if (strncmp(symbol, begins, sizeof(begins) - 1) || strchr(symbol, '['))
		return false;
	WRITE_ONCE(pa_perf_fops, file->f_op);
	return true;
}

/* Process context. Returns a referenced file, -EBADF or -EINVAL. */
struct file *pa_event_file(int fd)
{
	struct file *file = fget(fd);

	if (!file)
		return ERR_PTR(-EBADF);
	if (!pa_is_perf_file(file)) {
		fput(file);
		return ERR_PTR(-EINVAL);
	}
	return file;
}
