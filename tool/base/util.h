/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small helpers that every part of auxrec uses.
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

/* Estimated cost of an allocation besides its bytes, and of a node of tsearch(3) */
#define ALLOC_COST		16
#define TREE_COST		(32 + ALLOC_COST)

#define NSEC_PER_SEC		1000000000ULL

/* The advice of messages if a module of this project is not loaded */
#define LOAD_PERFAUX		"as root, modprobe perfaux (or insmod perfaux.ko)"
#define LOAD_SOFTPT		"as root, modprobe softpt (or insmod softpt.ko)"

/* Raise the limit of open files to the hard limit. The soft limit only suits select(). */
void raise_nofile(void);

/*
 * A message for people. The function that finds an error fills it. The topmost
 * caller shows it, because that caller knows where messages go and whether the
 * program continues.
 */
struct diag {
	char msg[1024];
};

/* Fill @d, and return @err so that the caller can return it in the same line. */
int diag(struct diag *d, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Print "auxrec: ..." to stderr, on a line of its own. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* From now on, say() calls @out, without "auxrec: " and newline. NULL: stderr again. */
void say_to(void (*out)(const char *text));

/*
 * @pending: stderr ends in a status line now, which the next say() clears.
 * If not @pending, clear the status line now, if there is one.
 */
void say_clear_line(bool pending);
/* Is there a status line? */
bool say_has_line(void);

/*
 * Read a whole file of unknown size (procfs, sysfs). @data is NUL-terminated,
 * and the caller must free it. Return 0 or -errno.
 */
int slurp(const char *path, char **data, size_t *len);

/* Read the first line, without its newline. Return 0 or -errno. */
int slurp_line(const char *path, char *buf, size_t size);

/* Read a number from a file; 0x means hexadecimal, a leading 0 octal. Return 0 or -errno. */
int slurp_u64(const char *path, __u64 *val);

/* Make room in @array for element @nr. Return 0 or -ENOMEM. */
int grow(void **array, size_t nr, size_t elem);

/* Return CLOCK_MONOTONIC in nanoseconds, for the tool's own intervals. */
__u64 now_ns(void);

#endif /* AUXREC_UTIL_H */
