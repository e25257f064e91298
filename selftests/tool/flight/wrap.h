/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * By the linker's --wrap=NAME: __wrap_NAME() is called instead of NAME(), which is
 * __real_NAME() then.
 */
#ifndef WRAP_H
#define WRAP_H

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);

#endif /* WRAP_H */
