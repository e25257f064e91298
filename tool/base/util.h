/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small helpers that every part of the recorder uses.
 */
#ifndef AUXREC_UTIL_H
#define AUXREC_UTIL_H

#include <linux/types.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_LEN(a)		(sizeof(a) / sizeof((a)[0]))
/* @a is a power of two. */
#define ALIGN_UP(x, a)		((((x) - 1) | ((__typeof__(x))(a) - 1)) + 1)
#define ALIGN8(x)		ALIGN_UP(x, 8)

/* What an allocation takes besides its bytes, and a node of tsearch(3), for accounts. */
#define ALLOC_COST		16
#define TREE_COST		(32 + ALLOC_COST)

#define NSEC_PER_SEC		1000000000ULL

/* As many files as may be: the soft limit is that of programs with select(). */
void raise_nofile(void);

/*
 * A message for people, filled where an error is found and shown by the
 * topmost caller, which knows on what and whether to go on.
 */
struct diag {
	char msg[1024];
};

/* Fills @d and returns @err, so that it can be returned in one line. */
int diag(struct diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "auxrec: ..." on stderr, on a line of its own. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on @out gets what is said, without "auxrec: " and newline. NULL: stderr again. */
void say_to(void (*out)(const char *text));

/*
 * @pending: stderr ends in a status line, which the next say() clears. Else it
 * is cleared now, if there is one.
 */
void say_clear_line(bool pending);
/* Is it still there? */
bool say_has_line(void);

/*
 * Reads a whole file of unknown size (procfs, sysfs). @data is NUL-terminated
 * and to be freed. Returns 0 or -errno.
 */
int slurp(const char *path, char **data, size_t *len);

/* The first line without its newline. Returns 0 or -errno. */
int slurp_line(const char *path, char *buf, size_t size);

/* A decimal or 0x number in a file. Returns 0 or -errno. */
int slurp_u64(const char *path, __u64 *val);

/* Grows @array to hold @nr + 1 elements. Returns 0 or -ENOMEM. */
int grow(void **array, size_t nr, size_t elem);

/* CLOCK_MONOTONIC in nanoseconds, for intervals of the tool itself. */
__u64 now_ns(void);

#endif /* AUXREC_UTIL_H */
