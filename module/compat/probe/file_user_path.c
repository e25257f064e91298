// SPDX-License-Identifier: GPL-2.0-only
/* Probe: file_user_path() and file_user_inode() exist (6.7). */
#include <linux/fs.h>

const struct path *probe(struct file *file, const struct inode **inode);
const struct path *probe(struct file *file, const struct inode **inode)
{
	*inode = file_user_inode(file);
	return file_user_path(file);
}
