/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers of auxrec's fuzz targets: files in memory, a scratch directory, and calls of
 * subcommands as main() makes them.
 */
#ifndef SELFTESTS_FUZZ_SCRATCH_H
#define SELFTESTS_FUZZ_SCRATCH_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Trap if @condition is false. libFuzzer prints the place and keeps the input. */
#define must(condition)	do { if (!(condition)) __builtin_trap(); } while (0)

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size);

/* Return an empty directory below TMPDIR. Each process has its own, and removes it at exit. */
const char *scratch_dir(void);

/* The scratch directory is the working directory between scratch_enter() and _leave(). */
struct scratch_cwd {
	int fd;
};

void scratch_enter(struct scratch_cwd *cwd);
void scratch_leave(struct scratch_cwd *cwd);

/* Remove the contents of a directory, if it exists. Return how many entries it had. */
unsigned int scratch_clear(const char *path);

/* Size of @path, which is /proc/self/fd/N. */
#define SCRATCH_PATH	64

/* Make a file in memory with these bytes. The caller closes it. */
int scratch_file(char path[SCRATCH_PATH], const void *data, size_t size);

/* Make a file with a name. The caller removes it, possibly with scratch_clear(). */
void scratch_write(const char *path, const void *data, size_t size);

/*
 * Make fd 0 a pipe that contains the bytes. Each read(2) returns @piece bytes, as if a program
 * wrote pieces of that size. After many pieces, the rest comes in larger ones.
 */
void scratch_pipe(const void *data, size_t size, size_t piece);

/* Call a subcommand and return its exit status. The previous call can have failed in getopt(3). */
int scratch_call(int (*main)(int argc, char **argv), int argc, char **argv);

/* The same, with arguments that end with NULL. */
int scratch_main(int (*main)(int argc, char **argv), ...);

/* Return a NUL-terminated copy in memory of exactly its size. The caller frees it. */
char *scratch_string(const void *data, size_t size);

/*
 * Set @argv to "auxrec" and the words of a line, which blanks separate, or which are in ''.
 * Return how many words there are. Each word has memory of its own. scratch_free() frees the
 * words, also if their order has changed.
 */
#define SCRATCH_WORDS	32

int scratch_split(const char *line, char *argv[SCRATCH_WORDS + 1]);
void scratch_free(char **argv);

#endif /* SELFTESTS_FUZZ_SCRATCH_H */
