/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids in mmap records.
 *
 *   hook.c	redirects calls of the kernel's parser while somebody wants ids
 *   header.c	keeps the build-id bit out of records without an id
 *   wanted.c	tells whether an event takes the record of a mapping
 *   ids.c	finds the id of what is being mapped
 *   file.c	reads a file while it is being mapped
 *   shmem.c	reads files of tmpfs and memfds, which have no disk
 *   cache.c	keeps ids that are known
 *   late.c	reads files that cannot be read while they are being mapped
 *   vdso.c	finds the id of [vdso]
 *   module.c	makes notices about kernel modules
 *   notice.c	sessions: which ones see a mapping, counters, queues of notices
 *   session.c	descriptors of PERFAUX_IOC_IDS
 */
#ifndef PERFAUX_IDS_H
#define PERFAUX_IDS_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/uidgid.h>

#include "compat/types.h"
#include "ids/elf_id.h"

/* The bytes of an id for which perf's record has room: BUILD_ID_SIZE_MAX */
#define PA_ID_RECORD_SIZE	20

/* The mapping, or kernel module, that a notice or a counter is about */
struct pa_ids_map {
	u64 time;
	struct pid *pid;		/* NULL: the kernel; no reference */
	struct pid *tid;
	kuid_t uid;
	u64 start;
	u64 length;
	u64 pgoff;
	u64 ino;
	u64 generation;
	dev_t dev;
	u64 session;			/* sessions with numbers up to this see it */
	const char *name;
};

/* ids/hook.c: process context, may sleep */
/* Set the parser that perf calls instead of the kernel's. Call this before the others. */
void pa_ids_hook_init(typeof(pa_build_id_parser) *parser);
/* Calls nest. Returns 0 or -errno. */
int pa_ids_hook_get(void);
void pa_ids_hook_put(void);
/* The redirected call is over. The parser calls this last. */
void pa_ids_hook_done(void);
/* Remove the hook of header.c later. Called within a redirected call. */
void pa_ids_hook_header_unneeded(void);
void pa_ids_hook_exit(void);

/* ids/header.c: process context; the last two under the lock of ids/hook.c */
/* Look at the arguments of a parser call. Returns true if the hook is not needed. */
bool pa_ids_header_look(const struct vm_area_struct *vma,
			const unsigned char *build_id, const __u32 *size);
void pa_ids_header_hook(void);
void pa_ids_header_unhook(bool unneeded_only);

/* ids/wanted.c: process context */
void pa_ids_wanted_init(void);
/*
 * Return whether an event with attr.build_id takes the record of a mapping that current
 * makes. @exec: the mapping can be executed.
 */
bool pa_ids_record_is_wanted(bool exec);

/* ids/file.c */
enum pa_ids_access {
	PA_IDS_READ,		/* pages may be read in, under mmap_lock */
	PA_IDS_SHMEM,		/* the same for tmpfs and memfd */
	PA_IDS_PEEK,		/* only pages that are in memory */
	PA_IDS_NEVER,		/* no pages at all */
};

enum pa_ids_access pa_ids_access(struct file *file);
/*
 * Bounds for reading a file under mmap_lock, because tasks that look into the process
 * wait for that lock:
 * - Pages that the disk must read in, one at a time.
 * - The time for them, in microseconds: the parameter disk_us. The first page is always
 *   read. A further page is not read if, at the pace of the slowest page before it, it
 *   would come after this time: a disk may take some milliseconds for each page.
 * - Pages in all. Going back to a page counts again.
 * - Calls of the reader by the parser, many of which can be for one page.
 * An ordinary file takes one or two pages.
 */
#define PA_IDS_MAX_MISSES	16
#define PA_IDS_DISK_US		12000
#define PA_IDS_MAX_PAGES	64
#define PA_IDS_MAX_CALLS	16384

/*
 * Process context, mmap_lock may be held for writing. Returns the result of
 * pa_elf_id(), or PERFAUX_ID_UNREADABLE, or PERFAUX_ID_DEFERRED: with PA_IDS_NEVER, or if
 * the parser exceeds the bounds above or, with PA_IDS_PEEK, needs pages that are not in
 * memory.
 */
int pa_ids_read_mapped(struct file *file, enum pa_ids_access access,
		       struct pa_elf_id *id);
/* Likewise with the file's read(), however long that takes. No locks held. */
int pa_ids_read_file(struct file *file, struct pa_elf_id *id);

/* ids/shmem.c: process context */
/* Return whether a file without read_folio is on tmpfs, or is a memfd. */
bool pa_ids_is_shmem(const struct address_space *mapping);
/*
 * Return a page, or NULL for a hole: a page that is neither in memory nor in swap. A hole must
 * remain one, because userfaultfd may wait for it, and nobody asked for its memory.
 */
struct folio *pa_ids_shmem_folio(struct address_space *mapping, pgoff_t index);

/* ids/cache.c: process context */
struct pa_ids_key {
	dev_t dev;
	u64 disk;			/* diskseq, if there is one */
	const struct inode *inode;	/* to compare only */
	u64 ino;
	u32 generation;
	u64 version;		/* i_version, if the file system has one */
	u64 size;
	s64 ctime_sec;
	u32 ctime_nsec;
};

int pa_ids_cache_init(void);
void pa_ids_cache_exit(void);
/* Call this before the file is read. Returns false if the answer must not be kept. */
bool pa_ids_cache_key(struct file *file, struct pa_ids_key *key);
/* Return true and set @result, 0 or enum perfaux_no_id, if the answer is known. */
bool pa_ids_cache_find(const struct pa_ids_key *key, struct pa_elf_id *id,
		       int *result);
void pa_ids_cache_add(struct file *file, const struct pa_ids_key *key,
		      const struct pa_elf_id *id, int result);

/* ids/late.c: process context */
int pa_ids_late_init(void);
void pa_ids_late_exit(void);
/*
 * Queue @file to be read by a worker. Takes references of its own, and counts the
 * mapping as deferred. Returns false if too many mappings wait, or there is no memory.
 */
bool pa_ids_late_queue(struct file *file, const struct pa_ids_map *map);
/* A session is gone: drop the mappings that nobody asks about any more. */
void pa_ids_late_drop(void);

/* ids/vdso.c */
void pa_ids_vdso_init(void);
/* Set @id, or return false if @vma is not the [vdso] that current is about to have. */
bool pa_ids_vdso(struct vm_area_struct *vma, struct pa_elf_id *id);

/* ids/module.c */
int pa_ids_module_init(void);
void pa_ids_module_exit(void);

/* ids/session.c: process context */
struct perfaux_ids;
int pa_ids_check(const struct perfaux_ids *arg);
int pa_ids_session_open(const struct perfaux_ids *arg);

/* notice.c: process context */
bool pa_ids_any_session(void);
void pa_ids_count(const struct pa_ids_map *map, int result, bool cached);
/* Count the mapping as deferred, and set map->session for the functions below. */
void pa_ids_count_deferred(struct pa_ids_map *map);
bool pa_ids_is_wanted(const struct pa_ids_map *map);
void pa_ids_count_late(const struct pa_ids_map *map, int result);
void pa_ids_notice(const struct pa_ids_map *map, int type,
		   const struct pa_elf_id *id);

/* ids.c: start and end all of the above. */
int pa_ids_init(void);
void pa_ids_exit(void);

#endif /* PERFAUX_IDS_H */
