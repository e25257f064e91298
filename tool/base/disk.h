/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Until it is on disk.
 */
#ifndef AUXREC_DISK_H
#define AUXREC_DISK_H

/*
 * Wait until the data of @fd, or the names that the file or those in the directory @fd has,
 * would survive a power cut.
 * Where the file system knows of no such thing there is nothing to wait for. 0 or -errno.
 */
int disk_data(int fd);
int disk_names(int fd);

#endif /* AUXREC_DISK_H */
