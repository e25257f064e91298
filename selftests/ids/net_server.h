/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Servers of network file systems on this machine: they export a directory,
 * read-only, which is mounted here. A relay, a process, is between the server and
 * the mount. Stopping the relay is like a server that does not answer, even if the
 * server is the kernel.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "../ring/lib/ring_lib.h"

enum net_kind {
	NET_NFS,		/* the kernel's server */
	NET_CIFS,		/* the kernel's server, configured by ksmbd.mountd */
	NET_9P,			/* diod */
};

struct net_server {
	enum net_kind kind;
	const char *exported;	/* the directory on the server */
	const char *dir;	/* where the client mounts this directory */
	struct child daemon;
	struct child relay;
	int listener;		/* the relay's socket and its port */
	int port;
};

/* Start the server, wait until it answers, and mount. Returns 0 or -errno. */
int net_start(struct net_server *server);
/* Unmount, even if the server does not answer. */
void net_stop(struct net_server *server);

/* Keep back what is sent to the server, until net_go_on(). */
int net_hang(struct net_server *server);
/* Let everything that is sent to the server arrive again. */
void net_go_on(struct net_server *server);

#endif /* NET_SERVER_H */
