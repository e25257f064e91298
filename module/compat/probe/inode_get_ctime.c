// SPDX-License-Identifier: GPL-2.0-only
/* Probe: inode_get_ctime() exists (6.6). */
#include <linux/fs.h>

struct timespec64 probe(struct inode *inode);
struct timespec64 probe(struct inode *inode)
{
	return inode_get_ctime(inode);
}
