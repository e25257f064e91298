/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Servers of file systems on this machine: they hand out a directory, read-only,
 * and it is mounted. Between server and mount is a relay, a process that can be
 * stopped: that is a server that does not answer, also where the kernel is it.
 */
#ifndef NET_SERVER_H
#define NET_SERVER_H

#include "../ring/ring_lib.h"

enum net_kind {
	NET_NFS,		/* the kernel's server */
	NET_CIFS,		/* the kernel's, configured by ksmbd.mountd */
	NET_9P,			/* diod */
};

struct net_server {
	enum net_kind kind;
	const char *exported;	/* the directory, and */
	const char *dir;	/* where to mount it */
	struct child daemon;
	struct child relay;
	int listener;		/* of the relay, and its port */
	int port;
};

/* Starts it, waits until it answers, and mounts. Returns 0 or -errno. */
int net_start(struct net_server *server);
/* Unmounts, also when it does not answer. */
void net_stop(struct net_server *server);

/* Nothing that is sent to the server arrives any more, until ... */
int net_hang(struct net_server *server);
/* ... all of it does. */
void net_go_on(struct net_server *server);

#endif /* NET_SERVER_H */
