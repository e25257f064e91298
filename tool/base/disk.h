/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waiting until data and file names are on disk.
 */
#ifndef AUXREC_DISK_H
#define AUXREC_DISK_H

/*
 * Wait until the data of @fd would survive a power cut. A file system that does not support this
 * is no error. Return 0 or -errno.
 */
int disk_data(int fd);
/* The same for the name of the file @fd, or for the names in the directory @fd. */
int disk_names(int fd);

#endif /* AUXREC_DISK_H */
