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

/* @path is /proc/self/fd/N. */
#define SCRATCH_PATH	64

/* A file with these bytes: to be closed. */
int scratch_file(char path[SCRATCH_PATH], const void *data, size_t size);

/*
 * The bytes come from fd 0, @piece of them with each read(2), as of a program that
 * writes them so; after many pieces in larger ones.
 */
void scratch_pipe(const void *data, size_t size, size_t piece);

/* Its exit status; arguments end with NULL. */
int scratch_main(int (*main)(int argc, char **argv), ...);

/* NUL-terminated, in memory of its very size. To be freed. */
char *scratch_string(const void *data, size_t size);

#endif /* SELFTESTS_FUZZ_SCRATCH_H */
