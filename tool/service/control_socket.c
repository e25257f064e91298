// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make and remove the control socket's file.
 *
 * Only the holder of PATH.lock can replace the socket. Without a lock, a socket that is bound
 * and does not listen yet would look like one that was left behind, and two recorders that
 * start at the same time would each remove the other's socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/control_socket.h"

#define LOCK_SUFFIX	".lock"
#define BACKLOG		64

int control_address(const char *path, struct sockaddr_un *addr, struct diag *d)
{
	const size_t len = strlen(path), most = sizeof(addr->sun_path) - sizeof(LOCK_SUFFIX);

	if (!len)
		return diag(d, -EINVAL, "the control socket's path is empty");
	if (len > most)
		return diag(d, -ENAMETOOLONG,
			    "%s: has %zu bytes, and a socket's path can have at most %zu: give a shorter or a relative path",
			    path, len, most);
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, path, len);
	return 0;
}

/* Remove a socket on which nobody listens. Return 0 if the path is free now. */
static int remove_stale(const struct sockaddr_un *addr, struct diag *d)
{
	const char *path = addr->sun_path;
	struct stat st;
	int fd, err;

	if (lstat(path, &st)) {
		if (errno == ENOENT)
			return 0;
		return diag(d, -errno, "%s: %s", path, strerror(errno));
	}
	if (!S_ISSOCK(st.st_mode))
		return diag(d, -EEXIST, "%s: exists, and is not a socket: give another path",
			    path);

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return diag(d, -errno, "control socket: %s", strerror(errno));
	err = connect(fd, (const struct sockaddr *)addr, sizeof(*addr)) ? errno : 0;
	close(fd);
	if (err == EACCES || err == EPERM)
		return diag(d, -err, "%s: the socket belongs to another user: give another path",
			    path);
	/*
	 * Other errors mean, too, that somebody has the socket open. EAGAIN: its queue is full;
	 * EPROTOTYPE: it is not a stream socket.
	 */
	if (err != ECONNREFUSED && err != ENOENT)
		return diag(d, -EADDRINUSE, "%s: somebody listens there: give another path", path);
	if (unlink(path) && errno != ENOENT)
		return diag(d, -errno, "%s: left by a recorder that has ended, and cannot be removed: %s",
			    path, strerror(errno));
	return 0;
}

static int listen_at(struct control_socket *s, struct diag *d)
{
	const char *path = s->addr.sun_path;
	struct stat st;
	int err;

	err = remove_stale(&s->addr, d);
	if (err)
		return err;
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return diag(d, -errno, "control socket: %s", strerror(errno));
	/*
	 * The file gets the mode of the socket's own inode, less the umask (unix_bind_bsd()
	 * in the kernel). So it is private from the first moment, without a change of the
	 * umask, which all threads share.
	 */
	if (fchmod(s->fd, 0600) ||
	    bind(s->fd, (const struct sockaddr *)&s->addr, sizeof(s->addr))) {
		err = diag(d, -errno, "%s: cannot create a control socket: %s", path,
			   strerror(errno));
		close(s->fd);
		return err;
	}
	if (!lstat(path, &st) && !listen(s->fd, BACKLOG)) {
		s->dev = st.st_dev;
		s->ino = st.st_ino;
		return 0;
	}
	err = diag(d, -errno, "%s: %s", path, strerror(errno));
	unlink(path);
	close(s->fd);
	return err;
}

int control_socket_open(struct control_socket *s, const char *path, struct diag *d)
{
	char lock[sizeof(s->addr.sun_path)];
	pid_t holder = 0;
	int err;

	err = control_address(path, &s->addr, d);
	if (err)
		return err;
	snprintf(lock, sizeof(lock), "%.*s" LOCK_SUFFIX,
		 (int)(sizeof(lock) - sizeof(LOCK_SUFFIX)), path);
	err = pidfile_take(&s->lock, lock, &holder, d);
	/* The message names the socket, because the user did not ask for the lock. */
	if (err == -ENOENT || err == -ENOTDIR || err == -EACCES || err == -EROFS)
		return diag(d, err, "%s: cannot create a control socket: %s", path,
			    strerror(-err));
	if (err == -EBUSY && holder)
		return diag(d, -EADDRINUSE,
			    "%s: another recorder, process %d, listens there: give another path",
			    path, holder);
	if (err == -EBUSY)
		return diag(d, -EADDRINUSE, "%s: another recorder listens there: give another path",
			    path);
	if (err)
		return err;
	err = listen_at(s, d);
	if (err)
		pidfile_drop(&s->lock);
	return err;
}

/*
 * Another user may have put a link in the socket's place, so look at the file once, and change the
 * file that was seen. Change its mode last: until then only the owner may connect.
 */
int control_socket_allow(const struct control_socket *s, gid_t group, struct diag *d)
{
	const char *path = s->addr.sun_path;
	char itself[64];
	struct stat st;
	int fd, err = 0;

	fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		err = diag(d, -errno, "%s: %s", path, strerror(errno));
	else if (st.st_dev != s->dev || st.st_ino != s->ino)
		err = diag(d, -ESTALE, "%s: somebody has replaced the socket", path);
	else if (fchownat(fd, "", -1, group, AT_EMPTY_PATH))
		err = diag(d, -errno,
			   "%s: cannot give the control socket to group %u: %s: record as root, or as a member of the group (a service needs SupplementaryGroups=)",
			   path, group, strerror(errno));
	/* fchmod() does not take a descriptor of O_PATH. */
	snprintf(itself, sizeof(itself), "/proc/self/fd/%d", fd);
	if (!err && chmod(itself, 0660))
		err = diag(d, -errno, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

void control_socket_close(struct control_socket *s)
{
	struct stat st;

	if (!lstat(s->addr.sun_path, &st) && st.st_dev == s->dev && st.st_ino == s->ino)
		unlink(s->addr.sun_path);
	close(s->fd);
	pidfile_drop(&s->lock);
}
