/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for the linker's --wrap=NAME: __wrap_NAME() is called instead of NAME(), and
 * __real_NAME() is the original function.
 */
#ifndef WRAP_H
#define WRAP_H

#include <dirent.h>
#include <linux/types.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);	/* wrap_open.c */
/* Called before each open(). Return 0 to open the file, or -errno to fail. */
extern int (*wrap_open_hook)(int flags);
int __real_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags);
int __wrap_renameat2(int from_dir, const char *from, int to_dir, const char *to,
		     unsigned int flags);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __real_mkostemps(char *path, int suffix, int flags);
int __wrap_mkostemps(char *path, int suffix, int flags);
int __real_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);
int __wrap_linkat(int from_dir, const char *from, int to_dir, const char *to, int flags);
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
int __real_fstatat(int dir, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int dir, const char *path, struct stat *st, int flags);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __real_fallocate(int fd, int mode, off_t at, off_t len);
int __wrap_fallocate(int fd, int mode, off_t at, off_t len);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
__u64 __wrap_now_ns(void);
struct perf_clock;
__u64 __wrap_perf_clock_about(struct perf_clock *c);
long __wrap_syscall(long nr, ...);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __wrap_epoll_ctl(int epfd, int op, int fd, struct epoll_event *ev);
int __wrap_timerfd_create(int clock, int flags);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *new,
			   struct itimerspec *old);

#endif /* WRAP_H */
