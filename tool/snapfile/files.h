/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshots of this run, which SIGUSR2 merges. A run can take months, so the list is
 * bounded.
 */
#ifndef AUXREC_SNAPFILE_FILES_H
#define AUXREC_SNAPFILE_FILES_H

#include <linux/types.h>
#include <stddef.h>

#define FLIGHT_FILES_MAX	8192

struct flight_files {
	char **paths;
	size_t nr;
	__u64 forgotten;	/* snapshots that still existed */
};

/*
 * Add the newest snapshot. If there are too many, forget those that do not exist any more,
 * then the oldest.
 */
void flight_files_add(struct flight_files *f, const char *path);
/* Forget snapshots that do not exist any more. */
void flight_files_look(struct flight_files *f);
void flight_files_free(struct flight_files *f);

#endif /* AUXREC_SNAPFILE_FILES_H */
