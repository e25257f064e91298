/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find build-ids: those of files and vdsos by the module's parser, those of the kernel and
 * its modules in sysfs.
 */
#ifndef AUXREC_BUILDID_H
#define AUXREC_BUILDID_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/hash_map.h"

#define BUILD_ID_MAX	20

struct build_id {
	__u8 size;		/* bytes; 0: there is none */
	bool is_long;		/* @id has only the first bytes of a longer id */
	__u8 id[BUILD_ID_MAX];
};

/* Ids of files by device, inode and time of modification. All zero: empty */
struct build_id_cache {
	struct build_id_cached *list;
	size_t nr;
	struct read_map by_file;	/* index into list */
};

/*
 * Find the build-id of an ELF file. @cache keeps the result (also that there is none), or is
 * NULL. @st is filled, or NULL. Return 0 or -errno.
 */
struct stat;
int build_id_file(struct build_id_cache *cache, const char *path, struct build_id *id,
		  struct stat *st);

/* Find the build-id in a file of notes, such as /sys/kernel/notes. Return 0 or -errno. */
int build_id_notes(const char *path, struct build_id *id);

/*
 * Find the build-id of the vdso that a process has at @start. Without the right to read that
 * vdso, return the id of our own vdso if both look the same. Return 0 or -errno.
 */
int build_id_vdso(pid_t pid, unsigned long long start, size_t len,
		  struct build_id *id);

void build_id_cache_free(struct build_id_cache *cache);

#endif /* AUXREC_BUILDID_H */
