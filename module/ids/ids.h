/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build-ids in mmap records.
 *
 *   ids/hook.c		sends the kernel's parser here while somebody wants that
 *   ids/header.c	keeps an id's bit out of records without an id
 *   ids/wanted.c	whether an event takes the record of a mapping
 *   ids.c		what is mapped, and where its id comes from
 *   ids/file.c		reading a file without harm
 *   ids/cache.c	ids that are known
 *   ids/late.c		files that cannot be read while they are being mapped
 *   ids/vdso.c		[vdso]
 *   ids/module.c	kernel modules
 *   ids/session.c	who wants to know: descriptors, notices, counters
 */
#ifndef PERFAUX_IDS_H
#define PERFAUX_IDS_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/uidgid.h>

#include "ids/elf_id.h"

/* perf's record has room for so many bytes of an id: BUILD_ID_SIZE_MAX */
#define PA_ID_RECORD_SIZE	20

/* What a notice or a counter is about. */
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
	u64 session;			/* the last one that asks about it */
	const char *name;
};

/* ids.c: in place of the kernel's parser, see there */
int pa_ids_parse(struct vm_area_struct *vma, unsigned char *build_id,
		 __u32 *size);

/* ids/hook.c: process context, may sleep. Before the others: what is called instead. */
void pa_ids_hook_init(typeof(pa_ids_parse) *parser);
/* Nested. Returns 0 or -errno. */
int pa_ids_hook_get(void);
void pa_ids_hook_put(void);
/* The redirected call is over: last thing that pa_ids_parse() does. */
void pa_ids_hook_done(void);
/* The hook of ids/header.c can go. From within a redirected call. */
void pa_ids_hook_header_unneeded(void);
void pa_ids_hook_exit(void);

/* ids/header.c: process context; the last two under the lock of ids/hook.c */
/* What the parser was called with. Returns true if the hook is not needed. */
bool pa_ids_header_look(const struct vm_area_struct *vma,
			const unsigned char *build_id, const __u32 *size);
void pa_ids_header_hook(void);
void pa_ids_header_unhook(bool unneeded_only);

/* ids/wanted.c: process context */
void pa_ids_wanted_init(void);
/*
 * Does an event with attr.build_id take the record of a mapping that current makes,
 * which can be executed (@exec) or not?
 */
bool pa_ids_record_is_wanted(bool exec);

/* ids/file.c */
enum pa_ids_access {
	PA_IDS_READ,		/* pages may be read in, under mmap_lock */
	PA_IDS_SHMEM,		/* the same for tmpfs and memfd */
	PA_IDS_PEEK,		/* only pages that are there */
	PA_IDS_NEVER,		/* not even these */
};

enum pa_ids_access pa_ids_access(struct file *file);
/*
 * How much of a file is read under mmap_lock. Tasks that look into the process wait
 * for that lock.
 * - Pages that the disk must read in, one at a time.
 * - The time for them, in microseconds: the parameter disk_us. The first page is read
 *   always. No further page is read if, at the pace of the slowest one before it, it
 *   would come after this time: a disk may take some milliseconds for each page.
 * - Pages in all. Going back to a page counts again.
 * - Calls of the parser, many of which can be for one page.
 * An ordinary file takes one or two pages.
 */
#define PA_IDS_MAX_MISSES	16
#define PA_IDS_DISK_US		12000
#define PA_IDS_MAX_PAGES	64
#define PA_IDS_MAX_CALLS	16384

/*
 * Process context, mmap_lock may be held for writing. Returns what pa_elf_id()
 * does; PERFAUX_ID_DEFERRED if that takes more than the bounds above, or, with
 * PA_IDS_PEEK, what is not there.
 */
int pa_ids_read_mapped(struct file *file, enum pa_ids_access access,
		       struct pa_elf_id *id);
/* The same with the file's read(); for as long as that takes. No locks held. */
int pa_ids_read_file(struct file *file, struct pa_elf_id *id);

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
/* Before the file is read. False: what is read must not be kept. */
bool pa_ids_cache_key(struct file *file, struct pa_ids_key *key);
/* Returns true and the result, 0 or enum perfaux_no_id, if it is known. */
bool pa_ids_cache_find(const struct pa_ids_key *key, struct pa_elf_id *id,
		       int *result);
void pa_ids_cache_add(struct file *file, const struct pa_ids_key *key,
		      const struct pa_elf_id *id, int result);

/* ids/late.c: process context */
int pa_ids_late_init(void);
void pa_ids_late_exit(void);
/*
 * Takes references of its own, and counts the mapping as deferred. Returns false
 * if too many wait, or there is no memory.
 */
bool pa_ids_late_queue(struct file *file, const struct pa_ids_map *map);
/* A session is gone. */
void pa_ids_late_drop(void);

/* ids/vdso.c */
void pa_ids_vdso_init(void);
/* Returns false if @vma is not the [vdso] that current is about to have. */
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
/* Sets map->session, which the rest of these goes by. */
void pa_ids_count_deferred(struct pa_ids_map *map);
bool pa_ids_is_wanted(const struct pa_ids_map *map);
void pa_ids_count_late(const struct pa_ids_map *map, int result);
void pa_ids_notice(const struct pa_ids_map *map, int type,
		   const struct pa_elf_id *id);

/* All of it. */
int pa_ids_init(void);
void pa_ids_exit(void);

#endif /* PERFAUX_IDS_H */
