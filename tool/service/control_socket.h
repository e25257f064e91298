/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making and removing the control socket's file.
 */
#ifndef AUXREC_CONTROL_SOCKET_H
#define AUXREC_CONTROL_SOCKET_H

#include <sys/types.h>
#include <sys/un.h>

#include "service/pidfile.h"
#include "base/util.h"

/* Make the address of @path. Return 0, -ENAMETOOLONG or -EINVAL (empty path) with a message. */
int control_address(const char *path, struct sockaddr_un *addr, struct diag *d);

struct control_socket {
	int fd;			/* the listening socket, non-blocking */
	struct sockaddr_un addr;
	struct pidfile lock;	/* PATH.lock */
	dev_t dev;		/* @dev and @ino are those of the file that was made */
	ino_t ino;
};

/* Return 0, or -errno with a message. After an error no files are left. */
int control_socket_open(struct control_socket *s, const char *path, struct diag *d);

/* Let the members of @group connect. Return 0, or -errno with a message. */
int control_socket_allow(const struct control_socket *s, gid_t group, struct diag *d);

/* Close the socket and remove its file, unless another file has the name by now. */
void control_socket_close(struct control_socket *s);

#endif /* AUXREC_CONTROL_SOCKET_H */
