/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids: of files and vdsos by the module's parser, of the kernel and its modules
 * from sysfs.
 */
#ifndef AUXREC_BUILDID_H
#define AUXREC_BUILDID_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BUILD_ID_MAX	20

struct build_id {
	__u8 size;		/* bytes; 0: there is none */
	bool is_long;		/* these are the first of more */
	__u8 id[BUILD_ID_MAX];
};

/*
 * Of an ELF file; what was found (or not) is remembered by device, inode and
 * time of modification. @st may be NULL or is filled. Returns 0 or -errno.
 */
struct stat;
int build_id_file(const char *path, struct build_id *id, struct stat *st);

/* From a file of notes: /sys/kernel/notes. Returns 0 or -errno. */
int build_id_notes(const char *path, struct build_id *id);

/*
 * Of the vdso that a process has at @start: read there, else (no right to) that
 * of our own if it looks the same. Returns 0 or -errno.
 */
int build_id_vdso(pid_t pid, unsigned long long start, size_t len,
		  struct build_id *id);

void build_id_cache_free(void);

#endif /* AUXREC_BUILDID_H */
