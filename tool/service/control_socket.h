/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket's file.
 */
#ifndef AUXREC_CONTROL_SOCKET_H
#define AUXREC_CONTROL_SOCKET_H

#include <sys/types.h>
#include <sys/un.h>

#include "service/pidfile.h"
#include "base/util.h"

/* Return 0, or -ENAMETOOLONG or -EINVAL (an empty one) with a message. */
int control_address(const char *path, struct sockaddr_un *addr, struct diag *d);

struct control_socket {
	int fd;			/* listens, non-blocking */
	struct sockaddr_un addr;
	struct pidfile lock;	/* PATH.lock */
	dev_t dev;		/* of the file that was made */
	ino_t ino;
};

/* Return 0 or -errno with a message, and nothing is left then. */
int control_socket_open(struct control_socket *s, const char *path, struct diag *d);

/* Remove the file, unless another one has its name by now. */
void control_socket_close(struct control_socket *s);

#endif /* AUXREC_CONTROL_SOCKET_H */
