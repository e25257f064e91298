/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Close what a child process inherited and does not need.
 */
#ifndef AUXREC_HELPER_CLOSE_FDS_H
#define AUXREC_HELPER_CLOSE_FDS_H

#include <stddef.h>

/*
 * Close all descriptors but 0 to 2 and those in @keep. -1 stands for none. The function sorts
 * @keep.
 */
void close_fds(int *keep, size_t nr);

#endif /* AUXREC_HELPER_CLOSE_FDS_H */
