/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A FUSE server of a set of files, read-only, which can misbehave on request. It
 * speaks to /dev/fuse itself, so that only the kernel is between the server and the
 * test.
 */
#ifndef FUSE_SERVER_H
#define FUSE_SERVER_H

#include "ids_lib.h"
#include "../ring/lib/ring_lib.h"

/* Inode number of the first file of the set. */
#define FUSE_FIRST_NODE	2

enum fuse_mode {
	FUSE_NORMAL,
	/* maps its own files with PROT_EXEC, and changes mappings in between */
	FUSE_MAPS_ITSELF,
	/* never answers a read */
	FUSE_SILENT,
	/* drops the page cache of a file whenever the file is opened */
	FUSE_FORGETS,
};

struct fuse_server {
	const struct elf_set *set;
	const char *dir;
	enum fuse_mode mode;
	struct child child;
	int dev;
	int ready[2];		/* the server writes a byte when it is mounted */
	int start[2];		/* a byte makes the server map its files */
	int mapped[2];		/* the server writes a byte when it has mapped them */
};

/*
 * Mount on @dir, in the caller's mount namespace. A child serves the files; when
 * the child ends, the file system ends.
 */
int fuse_start(struct fuse_server *server);
void fuse_kill(struct fuse_server *server);

#endif /* FUSE_SERVER_H */
