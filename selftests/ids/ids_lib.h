/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Mmap records of perf, descriptors of PERFAUX_IOC_IDS, and ELF files whose ids
 * are known.
 *
 * The functions return 0 (or what they say) or -errno.
 */
#ifndef IDS_LIB_H
#define IDS_LIB_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../uapi/perfaux.h"

#define ID_RECORD_MAX	20	/* bytes of an id that fit into a record */
#define ID_MAX		256

struct id {
	uint32_t size;		/* 0: there is none */
	uint8_t data[ID_MAX];
};

bool id_equal(const struct id *a, const struct id *b);
/* What a record can hold of it. */
struct id id_in_record(const struct id *id);
/* As hexadecimal digits, or "none". The text is valid until the eighth call. */
const char *id_text(const struct id *id);
int id_parse(const char *text, struct id *id);

/* A diagnostic line of TAP, from where the harness's TH_LOG() cannot be used. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- perf ---------------------------------------------------------------- */

/* A dummy event with a ring for the mmap records of one task. */
struct map_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size;
};

struct map_record {
	uint32_t pid, tid;
	uint64_t start, length, pgoff;
	uint64_t time;
	uint32_t prot, flags;
	struct id id;
	uint64_t ino;		/* if there is no id; else 0 */
	dev_t dev;
	/* as it is in the ring; of a longer one the end is missing */
	uint8_t raw[512];
	size_t raw_size;
};

const char *map_record_name(const struct map_record *record);

int map_ring_open(struct map_ring *ring, pid_t pid);

/* What the event asks for. */
enum map_kind {
	MAP_IDS,		/* build-ids, of what can be executed */
	MAP_DATA,		/* build-ids, also of what cannot */
	MAP_PLAIN,		/* device and inode, of what can be executed */
};

int map_ring_open_kind(struct map_ring *ring, pid_t pid, enum map_kind kind);
/* The same for whatever runs on @cpu. */
int map_ring_open_cpu(struct map_ring *ring, int cpu);
void map_ring_close(struct map_ring *ring);
/* The next MMAP2 record, in order; false: there is none. */
bool map_ring_next(struct map_ring *ring, struct map_record *record);
/* Throws away what there is. */
void map_ring_clear(struct map_ring *ring);
/* Records that the kernel could not write. */
uint64_t map_ring_lost(struct map_ring *ring);

/*
 * Are they the same to the byte, but for addresses and times? A mapping is as
 * long in both.
 */
bool map_record_same(const struct map_record *a, const struct map_record *b);

/* --- perfaux ------------------------------------------------------------- */

/* Longer than a test: on a busy machine a page or two may take longer than the default. */
#define NO_HURRY_US	1000000000
/* Loads perfaux if it is not loaded, and sets its parameter disk_us. 0 or -errno. */
int ids_insert(unsigned int disk_us);
/* A descriptor, or -errno. O_NONBLOCK is set with fcntl(). */
int ids_open(uint32_t queue_size);
int ids_stats(int fd, struct perfaux_ids_stats *stats);
uint64_t ids_result(int fd, enum perfaux_no_id result);

struct notices {
	uint8_t *buf;
	size_t size;		/* bytes in it */
	size_t at;
};

/* Reads into @notices once, without waiting. Bytes, or -errno. */
ssize_t notices_read(int fd, struct notices *notices);
/* The same after waiting for one; -ETIME. */
ssize_t notices_wait(int fd, struct notices *notices, int timeout_ms);
/* The next one, or NULL. A damaged one is NULL too, and sets errno. */
const struct perfaux_notice *notices_next(struct notices *notices);
void notices_free(struct notices *notices);
const char *notice_name(const struct perfaux_notice *notice);
struct id notice_id(const struct perfaux_notice *notice);

/* --- files --------------------------------------------------------------- */

struct elf_file {
	char name[64];
	struct id id;
	off_t size;
};

struct elf_set {
	const char *dir;
	struct elf_file *files;
	size_t nr;
};

/* What make-elf made, from $PERFAUX_ELF or the tree's directory. */
int elf_set_read(struct elf_set *set);
const struct elf_file *elf_set_find(const struct elf_set *set, const char *name);
void elf_set_free(struct elf_set *set);
/* Has more to be looked at than is allowed while it is mapped? */
bool elf_file_is_late(const struct elf_file *file);

/* --- late ids, of files of a set ------------------------------------------ */

/* A mapping must not take longer, even on a busy machine; it takes < 1 ms. */
#define STALL_NS	5000000000ULL

/* Until no file is waited for; false if that takes too long. */
bool late_settled(int fd);
/* A file of the set itself, which no server has, gets its id in place. */
bool late_not_others(struct map_ring *ring, const struct elf_set *set);
/* How many workers wait for servers. */
int late_readers(void);
/* Until so many do, or more; false if that takes too long. */
bool late_reading(int nr);
/*
 * Reads the notices there are. Each late id must be that of the file in @dir
 * whose name and inode it has, else it is -EBADMSG. Returns how many.
 */
int64_t late_ids_read(int fd, const struct elf_set *set, const char *dir);

/* Copies a file with its holes. */
int file_copy(const char *from, const char *to);
/* Of all files, to directory @to, but those larger than @max; then syncs. */
int elf_set_copy(const struct elf_set *set, const char *to, off_t max);

/*
 * Nothing of any file stays in memory, as far as the kernel can help it. False:
 * this kernel would not survive it, use drop_file().
 */
bool drop_caches(void);
void drop_file(int fd);

/*
 * Counts the pages that the caller adds to the page cache. Returns a descriptor or
 * -errno; fills_read() how many there were since, or UINT64_MAX.
 */
int fills_open(void);
uint64_t fills_read(int fd);

/* How a file comes to be mapped with PROT_EXEC, one page. */
enum way {
	WAY_PRIVATE,
	WAY_SHARED,
	WAY_OFFSET,		/* not its first page */
	WAY_MPROTECT,		/* first mapped without PROT_EXEC */
	NR_WAYS
};

extern const char * const way_names[NR_WAYS];

/* Maps and unmaps. */
int map_file(int fd, enum way way);
/* The same by a path, opened for it. */
int map_path(const char *path, enum way way);

/*
 * The one record that mapping @fd makes. -ENODATA: none; -EEXIST: more than
 * one.
 */
int map_and_read(struct map_ring *ring, int fd, enum way way,
		 struct map_record *record);

#endif /* IDS_LIB_H */
