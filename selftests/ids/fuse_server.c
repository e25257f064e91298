// SPDX-License-Identifier: GPL-2.0-only
/* The server of a FUSE file system, see fuse_server.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuse_server.h"

#define MAX_READ	(128 << 10)
#define REQUEST_SIZE	(MAX_READ + 4096)
#define FOR_EVER	3600

struct request {
	struct fuse_in_header header;
	uint8_t body[REQUEST_SIZE];
};

static void answer(const struct fuse_server *server,
		   const struct request *request, int error, const void *data,
		   size_t size)
{
	struct fuse_out_header header = {
		.len = sizeof(header) + size,
		.error = error,
		.unique = request->header.unique,
	};
	struct iovec parts[] = {
		{ &header, sizeof(header) },
		{ (void *)data, size },
	};

	/* ENOENT: the task that asked is gone. */
	if (writev(server->dev, parts, 2) < 0 && errno != ENOENT)
		_exit(20);
}

static void fill_attr(const struct fuse_server *server, uint64_t node,
		      struct fuse_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->ino = node;
	attr->nlink = 1;
	attr->mode = S_IFDIR | 0755;
	if (node < FUSE_FIRST_NODE)
		return;
	attr->mode = S_IFREG | 0755;
	attr->size = server->set->files[node - FUSE_FIRST_NODE].size;
}

static void init(const struct fuse_server *server, const struct request *request)
{
	const struct fuse_init_in *in = (void *)request->body;
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = in->minor < FUSE_KERNEL_MINOR_VERSION ?
			 in->minor : FUSE_KERNEL_MINOR_VERSION,
		.max_write = 4096,
		.time_gran = 1,
	};

	answer(server, request, 0, &out, sizeof(out));
}

static void lookup(const struct fuse_server *server,
		   const struct request *request)
{
	const char *name = (const char *)request->body;
	const struct elf_file *file = elf_set_find(server->set, name);
	struct fuse_entry_out out = {
		.entry_valid = FOR_EVER,
		.attr_valid = FOR_EVER,
	};

	if (!file) {
		answer(server, request, -ENOENT, NULL, 0);
		return;
	}
	out.nodeid = FUSE_FIRST_NODE + (file - server->set->files);
	fill_attr(server, out.nodeid, &out.attr);
	answer(server, request, 0, &out, sizeof(out));
}

static void getattr(const struct fuse_server *server,
		    const struct request *request)
{
	struct fuse_attr_out out = { .attr_valid = FOR_EVER };

	fill_attr(server, request->header.nodeid, &out.attr);
	answer(server, request, 0, &out, sizeof(out));
}

/*
 * Change mappings, which takes mmap_lock for writing, as any allocation of a server
 * may.
 */
static void change_mappings(void)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(volatile char *)map = 1;
	munmap(map, 4096);
}

static void serve_read(const struct fuse_server *server,
		       const struct request *request)
{
	static uint8_t buf[MAX_READ];
	const struct fuse_read_in *in = (void *)request->body;
	const struct elf_file *file =
		&server->set->files[request->header.nodeid - FUSE_FIRST_NODE];
	char path[256];
	ssize_t n;
	int fd;

	if (server->mode == FUSE_SILENT)
		return;
	if (server->mode == FUSE_MAPS_ITSELF)
		change_mappings();
	snprintf(path, sizeof(path), "%s/%s", server->set->dir, file->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = pread(fd, buf, in->size < MAX_READ ? in->size : MAX_READ,
		  in->offset);
	close(fd);
	answer(server, request, n < 0 ? -EIO : 0, buf, n < 0 ? 0 : n);
}

static void serve(const struct fuse_server *server,
		  const struct request *request)
{
	/* Pages that were read stay in memory when the file is opened again. */
	struct fuse_open_out open_out = {
		.open_flags = server->mode == FUSE_FORGETS ? 0 : FOPEN_KEEP_CACHE,
	};

	switch (request->header.opcode) {
	case FUSE_INIT:
		init(server, request);
		break;
	case FUSE_LOOKUP:
		lookup(server, request);
		break;
	case FUSE_GETATTR:
		getattr(server, request);
		break;
	case FUSE_OPEN:
		answer(server, request, 0, &open_out, sizeof(open_out));
		break;
	case FUSE_READ:
		serve_read(server, request);
		break;
	case FUSE_RELEASE:
		answer(server, request, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(server, request, -ENOSYS, NULL, 0);
	}
}

static void *serve_all(void *arg)
{
	static struct request request;
	const struct fuse_server *server = arg;

	for (;;) {
		ssize_t n = read(server->dev, &request, sizeof(request));

		if (n < 0 && errno == ENODEV)
			_exit(0);	/* unmounted */
		if (n > 0)
			serve(server, &request);
	}
	return NULL;
}

/* The server maps each of its own files while another thread serves them. */
static void map_itself(struct fuse_server *server)
{
	char path[256];
	size_t i;
	int way;

	for (i = 0; i < server->set->nr; i++) {
		snprintf(path, sizeof(path), "%s/%s", server->dir,
			 server->set->files[i].name);
		for (way = 0; way < NR_WAYS; way++)
			if (map_path(path, way))
				_exit(21);
	}
	if (write(server->mapped[1], "", 1) != 1)
		_exit(22);
}

static void server_fn(void *arg)
{
	struct fuse_server *server = arg;
	char options[128], c;
	pthread_t thread;

	server->dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 server->dev);
	if (mount("ids", server->dir, "fuse", MS_RDONLY | MS_NODEV, options))
		_exit(23);
	pthread_create(&thread, NULL, serve_all, server);
	if (write(server->ready[1], "", 1) != 1)
		_exit(24);
	if (server->mode == FUSE_MAPS_ITSELF) {
		if (read(server->start[0], &c, 1) == 1)
			map_itself(server);
	}
	pthread_join(thread, NULL);
}

int fuse_start(struct fuse_server *server)
{
	char c;
	int ret;

	if (pipe2(server->ready, O_CLOEXEC) ||
	    pipe2(server->start, O_CLOEXEC) || pipe2(server->mapped, O_CLOEXEC))
		return -errno;
	ret = child_start(&server->child, server_fn, server);
	if (ret)
		return ret;
	child_go(&server->child);
	close(server->ready[1]);
	return read(server->ready[0], &c, 1) == 1 ? 0 : -EIO;
}

void fuse_kill(struct fuse_server *server)
{
	child_kill(&server->child);
	umount2(server->dir, MNT_DETACH);
	close(server->ready[0]);
	close(server->start[0]);
	close(server->start[1]);
	close(server->mapped[0]);
	close(server->mapped[1]);
}
