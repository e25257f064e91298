// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of a snapshot, which gets its name only when it is complete.
 *
 * Until then the file has no name (O_TMPFILE), and the kernel removes it when the recorder
 * ends. If the file system does not support that, the file has a hidden name and is locked.
 * The lock ends with the recorder, however the recorder ends. So a hidden file that can be
 * locked belongs to a recorder that has ended.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "snapfile/snapfile.h"

#define TMP_PREFIX	".auxrec-"
#define TMP_SUFFIX	".tmp"
#define TMP_RANDOM	"XXXXXX"
#define TMP_LEN		(sizeof(TMP_PREFIX TMP_RANDOM TMP_SUFFIX) - 1)

/* Another recorder may remove a new file before it is locked, but not this often. */
#define TMP_TRIES	100

/*
 * Lock a hidden file. Return whether it is still in the directory. If the file system has no locks,
 * no recorder removes hidden files.
 */
static bool lock_tmp(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno != EWOULDBLOCK;
	return !fstat(fd, &st) && st.st_nlink;
}

static int open_named(struct snapfile *f)
{
	int i, fd;

	for (i = 0; i < TMP_TRIES; i++) {
		snprintf(f->tmp, sizeof(f->tmp), "%s/" TMP_PREFIX TMP_RANDOM TMP_SUFFIX,
			 f->name.dir);
		fd = mkostemps(f->tmp, strlen(TMP_SUFFIX), O_CLOEXEC);
		if (fd < 0) {
			const int err = -errno;

			f->tmp[0] = '\0';
			return err;
		}
		if (lock_tmp(fd))
			return fd;
		unlink(f->tmp);
		close(fd);
	}
	f->tmp[0] = '\0';
	return -EAGAIN;
}

/* The file gets its name later through /proc/self/fd, so check that this exists. */
static int open_unnamed(const char *dir)
{
	char proc[32];
	int fd;

	fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	if (!faccessat(AT_FDCWD, proc, F_OK, AT_SYMLINK_NOFOLLOW))
		return fd;
	close(fd);
	return -EOPNOTSUPP;
}

int snapfile_begin(struct snapfile *f, const char *pattern, const char *base,
		   const char *trigger, __u64 number, __u64 time,
		   struct diag *d)
{
	int err, fd;

	f->open = false;
	f->tmp[0] = '\0';
	f->path[0] = '\0';
	f->number = number;
	f->time = time;
	snprintf(f->trigger, sizeof(f->trigger), "%s", trigger);
	err = snapfile_name_init(&f->name, pattern, base, d);
	if (err)
		return err;
	if (!realpath(f->name.dir, f->where))
		memcpy(f->where, f->name.dir, sizeof(f->where));

	f->fd = open_unnamed(f->name.dir);
	/*
	 * File systems report a missing O_TMPFILE in different ways; any other error occurs again
	 * in open_named().
	 */
	if (f->fd < 0)
		f->fd = open_named(f);
	if (f->fd < 0)
		return diag(d, f->fd, "cannot create a snapshot in %.500s: %s",
			    f->where, strerror(-f->fd));
	f->open = true;
	/*
	 * The caller writes to a second descriptor and closes it, to see the errors of close().
	 * The first one is for the name.
	 */
	fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 3);
	if (fd < 0) {
		err = -errno;
		snapfile_abort(f);
		return diag(d, err, "cannot create a snapshot in %.500s: %s",
			    f->where, strerror(-err));
	}
	return fd;
}

/* Network file systems support link(), some others only RENAME_NOREPLACE. */
static int move_named(const char *tmp, const char *path)
{
	if (!renameat2(AT_FDCWD, tmp, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
		return -errno;
	if (link(tmp, path))
		return -errno;
	unlink(tmp);
	return 0;
}

static int give_name(struct snapfile *f)
{
	char proc[32];

	if (f->tmp[0])
		return move_named(f->tmp, f->path);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", f->fd);
	if (linkat(AT_FDCWD, proc, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW))
		return -errno;
	return 0;
}

int snapfile_sync(struct snapfile *f, struct diag *d)
{
	const int err = disk_data(f->fd);

	return err ? diag(d, err, "cannot get a snapshot in %.500s to the disk: %s", f->where,
			  strerror(-err)) : 0;
}

static int find_name(struct snapfile *f)
{
	char name[NAME_MAX + 1];
	unsigned int again;
	int err = -EEXIST;

	for (again = 1; err == -EEXIST && again <= SNAPFILE_SAME; again++) {
		snapfile_name_make(&f->name, f->trigger, f->number, f->time,
				   again, name);
		/* The path fits, see snapfile_name_init(). */
		if ((size_t)snprintf(f->path, sizeof(f->path), "%s/%s",
				     f->name.dir, name) >= sizeof(f->path))
			err = -ENAMETOOLONG;
		else
			err = give_name(f);
	}
	return err;
}

static int name_in(struct snapfile *f, int dir, struct diag *d)
{
	int err = find_name(f);

	if (err)
		return diag(d, err, "cannot name a snapshot in %.500s: %s", f->where,
			    err == -EPERM || err == -EOPNOTSUPP ?
			    "its file system has no link() nor RENAME_NOREPLACE" :
			    strerror(-err));
	f->tmp[0] = '\0';
	/* In a file system without journal, syncing the file does not sync the directory. */
	err = disk_names(f->fd) ?: disk_names(dir);
	if (!err)
		return 0;
	unlink(f->path);
	/* Return -EIO for any error, because nothing is left with which to try again. */
	return diag(d, -EIO, "cannot get the name of a snapshot in %.500s to the disk: %s",
		    f->where, strerror(-err));
}

int snapfile_commit(struct snapfile *f, struct diag *d)
{
	const int dir = open(f->name.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (dir < 0)
		return diag(d, -errno, "cannot name a snapshot in %.500s: %s", f->where,
			    strerror(errno));
	err = name_in(f, dir, d);
	close(dir);
	if (err)
		return err;
	close(f->fd);
	f->open = false;
	return 0;
}

void snapfile_abort(struct snapfile *f)
{
	if (!f->open)
		return;
	if (f->tmp[0])
		unlink(f->tmp);
	f->tmp[0] = '\0';
	close(f->fd);
	f->open = false;
}

static bool is_tmp_name(const char *name)
{
	return strlen(name) == TMP_LEN &&
	       !strncmp(name, TMP_PREFIX, strlen(TMP_PREFIX)) &&
	       !strcmp(name + TMP_LEN - strlen(TMP_SUFFIX), TMP_SUFFIX);
}

/*
 * Remove a hidden file of this user whose recorder has ended. Hold its lock until it is removed, so
 * that no other recorder takes the file for a dead one's.
 */
static bool remove_dead(int dir, const char *name)
{
	struct stat st, now;
	bool removed;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return false;
	/* Open the file for writing, because NFS gives the lock only then. */
	fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	removed = !flock(fd, LOCK_EX | LOCK_NB) && !fstat(fd, &st) &&
		  !fstatat(dir, name, &now, AT_SYMLINK_NOFOLLOW) &&
		  st.st_dev == now.st_dev && st.st_ino == now.st_ino &&
		  !unlinkat(dir, name, 0);
	close(fd);
	return removed;
}

int snapfile_clean(const char *pattern, const char *base, struct diag *d)
{
	struct snapfile_name *name = malloc(sizeof(*name));
	struct dirent *e;
	int err, nr = 0;
	DIR *dir;

	if (!name)
		return diag(d, -ENOMEM, "out of memory");
	err = snapfile_name_init(name, pattern, base, d);
	if (err)
		goto out;
	dir = opendir(name->dir);
	if (!dir || faccessat(dirfd(dir), ".", W_OK | X_OK, AT_EACCESS)) {
		err = diag(d, -errno, "snapshots cannot go to %.500s: %s",
			   name->dir, strerror(errno));
		if (dir)
			closedir(dir);
		goto out;
	}
	while ((e = readdir(dir)))
		nr += is_tmp_name(e->d_name) && remove_dead(dirfd(dir), e->d_name);
	closedir(dir);
	err = nr;
out:
	free(name);
	return err;
}
