/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an output is the input, which writing would destroy.
 */
#ifndef AUXREC_SAME_FILE_H
#define AUXREC_SAME_FILE_H

#include <stdbool.h>

/*
 * Return whether @path names the ordinary file that is open as @fd, by whatever name or link.
 * "-" is standard output.
 */
bool same_file(int fd, const char *path);

#endif /* AUXREC_SAME_FILE_H */
