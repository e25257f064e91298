/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The snapshots of this run, for SIGUSR2: a run may take months, and memory is bounded.
 */
#ifndef AUXREC_FLIGHT_FILES_H
#define AUXREC_FLIGHT_FILES_H

#include <linux/types.h>
#include <stddef.h>

#define FLIGHT_FILES_MAX	8192

struct flight_files {
	char **paths;
	size_t nr;
	__u64 forgotten;	/* that were still there */
};

/* The newest. When there are too many those that are gone are forgotten, then the oldest. */
void flight_files_add(struct flight_files *f, const char *path);
/* Forgets those that are not there any more. */
void flight_files_look(struct flight_files *f);
void flight_files_free(struct flight_files *f);

#endif /* AUXREC_FLIGHT_FILES_H */
