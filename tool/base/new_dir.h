/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory for the files of an output.
 */
#ifndef AUXREC_NEW_DIR_H
#define AUXREC_NEW_DIR_H

#include <stdbool.h>

struct diag;

/*
 * Make the directory @path, or use it if it exists and is empty. @made tells whether it was made.
 * Return its descriptor, or -errno with a message.
 */
int new_dir(const char *path, bool *made, struct diag *d);

#endif /* AUXREC_NEW_DIR_H */
