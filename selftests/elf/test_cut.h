/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SELFTESTS_ELF_TEST_CUT_H
#define SELFTESTS_ELF_TEST_CUT_H

#include <sys/types.h>

/* The linker's --wrap=pread provides this. */
ssize_t __real_pread(int fd, void *buf, size_t size, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t size, off_t at);

#endif
