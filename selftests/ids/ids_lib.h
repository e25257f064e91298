/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers: mmap records of perf, descriptors of PERFAUX_IOC_IDS, and ELF files
 * whose ids are known.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
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
	uint32_t size;		/* 0: no id */
	uint8_t data[ID_MAX];
};

bool id_equal(const struct id *a, const struct id *b);
/* Return the part of an id that a record can hold. */
struct id id_in_record(const struct id *id);
/*
 * Return the id as hexadecimal digits, or "none". The text is valid until the
 * eighth call.
 */
const char *id_text(const struct id *id);
int id_parse(const char *text, struct id *id);

/* Print a diagnostic line of TAP, where the harness's TH_LOG() cannot be used. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- perf ---------------------------------------------------------------- */

/* A dummy event with a main ring for the mmap records of one task */
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
	uint64_t ino;		/* if the record has no id; else 0 */
	dev_t dev;
	/* the record as in the ring, cut off if it is longer */
	uint8_t raw[512];
	size_t raw_size;
};

const char *map_record_name(const struct map_record *record);

int map_ring_open(struct map_ring *ring, pid_t pid);

/* What the event asks for */
enum map_kind {
	MAP_IDS,		/* build-ids of executable mappings */
	MAP_DATA,		/* build-ids of all mappings */
	MAP_PLAIN,		/* device and inode of executable mappings */
};

int map_ring_open_kind(struct map_ring *ring, pid_t pid, enum map_kind kind);
/* The same for all tasks on @cpu */
int map_ring_open_cpu(struct map_ring *ring, int cpu);
void map_ring_close(struct map_ring *ring);
/* Get the next MMAP2 record, in order. Return false if there is none. */
bool map_ring_next(struct map_ring *ring, struct map_record *record);
/* Drop all records. */
void map_ring_clear(struct map_ring *ring);
/* Return the number of records that the kernel could not write. */
uint64_t map_ring_lost(struct map_ring *ring);

/*
 * Return whether two records are the same to the byte, except addresses and times.
 * The length of the mapping must be the same.
 */
bool map_record_same(const struct map_record *a, const struct map_record *b);

/* --- perfaux ------------------------------------------------------------- */

/* A disk_us longer than a test: on a busy machine, reading a page may take the default or more */
#define NO_HURRY_US	1000000000
/*
 * Insert perfaux if it is not there, and set its parameter disk_us. Returns 0 or
 * -errno.
 */
int ids_insert(unsigned int disk_us);
/* Open a session. Returns its descriptor, or -errno. Use fcntl() to set O_NONBLOCK. */
int ids_open(uint32_t queue_size);
int ids_stats(int fd, struct perfaux_ids_stats *stats);
uint64_t ids_result(int fd, enum perfaux_no_id result);

struct notices {
	uint8_t *buf;
	size_t size;		/* bytes in the buffer */
	size_t at;
};

/* Read into @notices once, without waiting. Returns the bytes, or -errno. */
ssize_t notices_read(int fd, struct notices *notices);
/* The same, but wait for a notice. Returns -ETIME after @timeout_ms. */
ssize_t notices_wait(int fd, struct notices *notices, int timeout_ms);
/* Return the next notice, or NULL. For a damaged notice return NULL and set errno. */
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

/* Read the list of make-elf's files, from $PERFAUX_ELF or the tree's directory. */
int elf_set_read(struct elf_set *set);
const struct elf_file *elf_set_find(const struct elf_set *set, const char *name);
void elf_set_free(struct elf_set *set);
/*
 * Return whether the parser must look at more than is allowed while the file is
 * mapped.
 */
bool elf_file_is_late(const struct elf_file *file);

/* --- late ids, of files of a set ------------------------------------------ */

/* A mapping must not take longer, even on a busy machine; normally it takes < 1 ms. */
#define STALL_NS	5000000000ULL

/* Wait until no file is pending. Return false if that takes too long. */
bool late_settled(int fd);
/* Return whether a file of the set that is on no server gets its id in its record. */
bool late_not_others(struct map_ring *ring, const struct elf_set *set);
/* Return how many workers wait for servers. */
int late_readers(void);
/* Wait until at least @nr workers wait. Return false if that takes too long. */
bool late_reading(int nr);
/*
 * Read the available notices. Each late id must be that of the file in @dir with
 * the same name and inode, or the result is -EBADMSG. Returns the number of
 * notices.
 */
int64_t late_ids_read(int fd, const struct elf_set *set, const char *dir);

/* Copy a file with its holes. */
int file_copy(const char *from, const char *to);
/* Copy all files, except those larger than @max, to the directory @to; then sync. */
int elf_set_copy(const struct elf_set *set, const char *to, off_t max);

/*
 * Drop the page cache of all files, unless the kernel still needs it. Returns false
 * if this kernel would crash; then use drop_file().
 */
bool drop_caches(void);
void drop_file(int fd);

/*
 * Count the pages that the caller adds to the page cache. Returns a descriptor or
 * -errno. fills_read() returns the count since then, or UINT64_MAX.
 */
int fills_open(void);
uint64_t fills_read(int fd);

/* How a file is mapped with PROT_EXEC, one page */
enum way {
	WAY_PRIVATE,
	WAY_SHARED,
	WAY_OFFSET,		/* a page other than the file's first one */
	WAY_MPROTECT,		/* first mapped without PROT_EXEC */
	NR_WAYS
};

extern const char * const way_names[NR_WAYS];

/* Map and unmap a file. */
int map_file(int fd, enum way way);
/* The same for a path, which is opened and closed */
int map_path(const char *path, enum way way);

/*
 * Map @fd and get the only record of the mapping. Returns -ENODATA if there is no
 * record, -EEXIST if there are more than one.
 */
int map_and_read(struct map_ring *ring, int fd, enum way way,
		 struct map_record *record);
/*
 * Map the file of the set with this name, and return the mapping's record. If there
 * is not exactly one record, print why.
 */
struct map_record map_elf(struct map_ring *ring, const struct elf_set *set, const char *name);

#endif /* IDS_LIB_H */
