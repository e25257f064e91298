// SPDX-License-Identifier: GPL-2.0-only
/* The servers of network file systems, see net_server.h. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ids_fs.h"
#include "net_server.h"

#define NFSD		"/proc/fs/nfsd"
#define NFSD_CACHE	"/proc/net/rpc"
#define NEVER		2147483647

/* Flags of the server's exports: fs/nfsd's NFSEXP_*, include/uapi/linux/nfsd/export.h */
#define EXPORT_FLAGS	(0x0001 /* READONLY */ | 0x0002 /* INSECURE_PORT */ | \
			 0x0400 /* NOSUBTREECHECK */ | 0x2000 /* FSID */)

#define SMB_CONF	"/run/perfaux/ids-smb.conf"
#define SMB_USERS	"/run/perfaux/ids-smb.users"
#define SMB_USER	"root"
#define SMB_PASSWORD	"secret"

#define START_NS	20000000000ULL

struct net_type {
	const char *modules;
	int port;
	int (*start)(struct net_server *server);
	void (*run)(void *server);	/* the child, or NULL */
	void (*stop)(void);
	const char *fs;
	const char *source;
	const char *options;
};

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

/* Listen at @port, or at any port if it is 0. */
static int listen_at(int port)
{
	struct sockaddr_in addr = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 8)) {
		close(fd);
		return -EADDRINUSE;
	}
	return fd;
}

static int port_of(int fd)
{
	struct sockaddr_in addr = { 0 };
	socklen_t size = sizeof(addr);

	getsockname(fd, (struct sockaddr *)&addr, &size);
	return ntohs(addr.sin_port);
}

static int connect_to(int port)
{
	struct sockaddr_in addr = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int wait_port(int port)
{
	uint64_t end = now_ns() + START_NS;
	int fd;

	while ((fd = connect_to(port)) < 0) {
		if (now_ns() > end)
			return -ETIMEDOUT;
		sched_yield();
	}
	close(fd);
	return 0;
}

/* --- NFS ----------------------------------------------------------------- */

/*
 * Tell the server in advance what mountd would answer: who 127.0.0.1 is, what is
 * exported to it, and that this is the root of NFSv4 (fsid 0).
 */
static int nfs_export(const char *dir)
{
	char line[512];
	int ret;

	snprintf(line, sizeof(line), "nfsd 127.0.0.1 %d ids\n", NEVER);
	ret = file_write(NFSD_CACHE "/auth.unix.ip/channel", line);
	snprintf(line, sizeof(line), "ids %s %d %d 0 0 0\n", dir, NEVER,
		 EXPORT_FLAGS);
	ret = ret ?: file_write(NFSD_CACHE "/nfsd.export/channel", line);
	snprintf(line, sizeof(line), "ids 1 \\x00000000 %d %s\n", NEVER, dir);
	return ret ?: file_write(NFSD_CACHE "/nfsd.fh/channel", line);
}

/*
 * Start the NFS server and leave it running: the first files that are opened after
 * its start wait for its grace period, 10 s at least. Without version 3 the server
 * needs no other daemons.
 */
static int nfs_start(struct net_server *server)
{
	char text[32];
	int fd, ret;

	ret = run("mountpoint -q " NFSD " || mount -t nfsd none " NFSD) ?:
	      file_read(NFSD "/threads", text, sizeof(text));
	if (ret || atoi(text))
		return ret;
	fd = listen_at(2049);
	if (fd < 0)
		return fd;
	snprintf(text, sizeof(text), "%d\n", fd);
	ret = file_write(NFSD "/versions", "-3 +4\n") ?:
	      file_write(NFSD "/nfsv4gracetime", "10\n") ?:
	      nfs_export(server->exported) ?:
	      file_write(NFSD "/portlist", text) ?:
	      file_write(NFSD "/threads", "2\n");
	close(fd);
	return ret;
}

/* --- CIFS ---------------------------------------------------------------- */

static int cifs_start(struct net_server *server)
{
	FILE *conf = fopen(SMB_CONF, "we");

	if (!conf)
		return -errno;
	fprintf(conf, "[global]\ninterfaces = lo\nbind interfaces only = yes\n"
		"[elf]\npath = %s\nread only = yes\n", server->exported);
	fclose(conf);
	return run("rm -f " SMB_USERS " && ksmbd.adduser -C " SMB_CONF " -P " SMB_USERS " -a -p "
		   SMB_PASSWORD " " SMB_USER);
}

static void cifs_run(void *arg)
{
	(void)arg;
	/* ksmbd.mountd reports its start and end, and those of the previous one. */
	if (!freopen("/dev/null", "w", stdout) ||
	    !freopen("/dev/null", "w", stderr))
		_exit(30);
	execlp("ksmbd.mountd", "ksmbd.mountd", "-n", "-C", SMB_CONF, "-P",
	       SMB_USERS, NULL);
	_exit(30);
}

/* Stop the kernel's part of the server, which would continue without the daemon. */
static void cifs_stop(void)
{
	run("ksmbd.control -s");
}

/* --- 9p ------------------------------------------------------------------ */

static void p9_run(void *arg)
{
	const struct net_server *server = arg;

	execlp("diod", "diod", "-f", "-n", "-l", "127.0.0.1:564", "-e",
	       server->exported, NULL);
	_exit(31);
}

/*
 * NFS and CIFS ask for attributes in mmap() if their copies are old
 * (nfs_revalidate_mapping(), cifs_revalidate_file()), and would wait for the server
 * with or without perfaux. Therefore the mounts cache attributes for a long time.
 * With its default, cache=strict, CIFS keeps nothing in memory unless the server
 * gives leases, which ksmbd does not do by default. 9p keeps nothing of a file
 * whose version is 0 unless an option tells it to ignore the version
 * (v9fs_fid_add_modes()), and diod has no other version.
 */
static const struct net_type types[] = {
	[NET_NFS] = {
		.modules = "nfsd nfsv4",
		.port = 2049,
		.start = nfs_start,
		.fs = "nfs4",
		.source = "127.0.0.1:/",
		.options = "addr=127.0.0.1,clientaddr=127.0.0.1,vers=4.2,actimeo=3600",
	},
	[NET_CIFS] = {
		.modules = "cifs ksmbd",
		.port = 445,
		.start = cifs_start,
		.run = cifs_run,
		.stop = cifs_stop,
		.fs = "cifs",
		.source = "//127.0.0.1/elf",
		.options = "ip=127.0.0.1,vers=3.1.1,cache=loose,actimeo=3600,username="
			   SMB_USER ",password=" SMB_PASSWORD,
	},
	[NET_9P] = {
		.modules = "9p 9pnet_fd",
		.port = 564,
		.run = p9_run,
		.fs = "9p",
		.source = "127.0.0.1",
		.options = "trans=tcp,version=9p2000.L,uname=root,access=any,cache=loose,ignoreqv",
	},
};

/* --- relay --------------------------------------------------------------- */

struct flow {
	int from;
	int to;
};

static void *flow_thread(void *arg)
{
	const size_t size = 65536;
	struct flow *flow = arg;
	char *buf = malloc(size);
	ssize_t n, done, k;

	while ((n = read(flow->from, buf, size)) > 0) {
		for (done = 0; done < n; done += k) {
			k = write(flow->to, buf + done, n - done);
			if (k < 0)
				break;
		}
		if (done < n)
			break;
	}
	shutdown(flow->from, SHUT_RD);
	shutdown(flow->to, SHUT_WR);
	free(buf);
	free(flow);
	return NULL;
}

static void start_flow(int from, int to)
{
	struct flow *flow = malloc(sizeof(*flow));
	pthread_t thread;

	*flow = (struct flow) { .from = from, .to = to };
	pthread_create(&thread, NULL, flow_thread, flow);
}

/* There are few connections, and they end with the process. */
static void relay_run(void *arg)
{
	const struct net_server *server = arg;
	int client, fd;

	signal(SIGPIPE, SIG_IGN);
	while ((client = accept(server->listener, NULL, NULL)) >= 0) {
		fd = connect_to(types[server->kind].port);
		if (fd < 0) {
			close(client);
			continue;
		}
		start_flow(client, fd);
		start_flow(fd, client);
	}
}

int net_hang(struct net_server *server)
{
	int status;

	if (kill(server->relay.pid, SIGSTOP) ||
	    waitpid(server->relay.pid, &status, WUNTRACED) < 0)
		return -errno;
	return WIFSTOPPED(status) ? 0 : -ESRCH;
}

void net_go_on(struct net_server *server)
{
	if (server->relay.pid > 0)
		kill(server->relay.pid, SIGCONT);
}

/* --- all ----------------------------------------------------------------- */

static int start_child(struct child *child, void (*fn)(void *arg), void *arg)
{
	int ret = child_start(child, fn, arg);

	if (!ret)
		child_go(child);
	return ret;
}

static int start_relay(struct net_server *server)
{
	server->listener = listen_at(0);
	if (server->listener < 0)
		return server->listener;
	server->port = port_of(server->listener);
	return start_child(&server->relay, relay_run, server);
}

static int mount_it(struct net_server *server, const struct net_type *type)
{
	char options[512];

	snprintf(options, sizeof(options), "%s,port=%d%s%s", type->options,
		 server->port, server->kind == NET_9P ? ",aname=" : "",
		 server->kind == NET_9P ? server->exported : "");
	return mount(type->source, server->dir, type->fs, MS_RDONLY,
		     options) ? -errno : 0;
}

int net_start(struct net_server *server)
{
	const struct net_type *type = &types[server->kind];
	int ret = 0;

	run("modprobe -qa %s || true", type->modules);
	if (type->start)
		ret = type->start(server);
	if (!ret && type->run)
		ret = start_child(&server->daemon, type->run, server);
	return ret ?: wait_port(type->port) ?: start_relay(server) ?:
	       mount_it(server, type);
}

void net_stop(struct net_server *server)
{
	const struct net_type *type = &types[server->kind];

	net_go_on(server);
	if (umount2(server->dir, 0))
		umount2(server->dir, MNT_FORCE | MNT_DETACH);
	if (server->daemon.pid > 0) {
		if (type->stop)
			type->stop();
		child_kill(&server->daemon);
	}
	if (server->relay.pid > 0)
		child_kill(&server->relay);
}
