/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fuzz targets of auxrec share: files in memory, a directory to write to, and a
 * subcommand called as main() calls it.
 */
#ifndef SELFTESTS_FUZZ_SCRATCH_H
#define SELFTESTS_FUZZ_SCRATCH_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* libFuzzer shows where, and keeps the input. */
#define must(condition)	do { if (!(condition)) __builtin_trap(); } while (0)

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* An empty directory, below TMPDIR; its own for each process, and removed at its end. */
const char *scratch_dir(void);

/* Between these two that is the working directory. */
struct scratch_cwd {
	int fd;
};

void scratch_enter(struct scratch_cwd *cwd);
void scratch_leave(struct scratch_cwd *cwd);

/* Removes what is in the directory, if it is there. Returns how many entries it had. */
unsigned int scratch_clear(const char *path);

/* @path is /proc/self/fd/N. */
#define SCRATCH_PATH	64

/* A file with these bytes: to be closed. */
int scratch_file(char path[SCRATCH_PATH], const void *data, size_t size);

/* One that has a name, and is removed by it or by scratch_clear(). */
void scratch_write(const char *path, const void *data, size_t size);

/*
 * The bytes come from fd 0, @piece of them with each read(2), as of a program that
 * writes them so; after many pieces in larger ones.
 */
void scratch_pipe(const void *data, size_t size, size_t piece);

/* Its exit status, also after a call that getopt(3) found something wrong in. */
int scratch_call(int (*main)(int argc, char **argv), int argc, char **argv);

/* The same; arguments end with NULL. */
int scratch_main(int (*main)(int argc, char **argv), ...);

/* NUL-terminated, in memory of its very size. To be freed. */
char *scratch_string(const void *data, size_t size);

/*
 * "auxrec" and the words of a line, which are between blanks or in ''. Each has memory of
 * its own, to be freed with scratch_free(), in whatever order they are then. Returns how
 * many.
 */
#define SCRATCH_WORDS	32

int scratch_split(const char *line, char *argv[SCRATCH_WORDS + 1]);
void scratch_free(char **argv);

#endif /* SELFTESTS_FUZZ_SCRATCH_H */
