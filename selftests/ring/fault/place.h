/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment of the tests with faults: a ring, events, and the values that
 * must be the same at the end.
 */
#ifndef FAULT_PLACE_H
#define FAULT_PLACE_H

#include <perfaux.h>
#include <stddef.h>
#include <stdint.h>

#include "../../ids/fuse_server.h"
#include "../../ids/ids_lib.h"

#define PAGE		4096
#define WAIT_NS		30000000000ULL

/* A ring and its attached events. A descriptor that does not exist is -1. */
struct fault_place {
	int dev;
	struct perfaux_create create;
	int ring;
	int ids;
	int aux;
	int raw;
	int trigger;
	int epoll;
	int info;			/* fdinfo of one of the descriptors above */
	struct map_ring maps;		/* its records have build-ids */
	struct elf_set set;
	struct fuse_server server;	/* serves the files */
	char fuse_dir[64];
	int fuse_file;			/* one of the served files */
	void *mapped;
	size_t mapped_size;
	int log;			/* the kernel's log */
	bool inserts;			/* the test inserts the module */
	/* the values before the test */
	int count;
	int vmalloced;
	int files;
};

/* Returns 0 or -errno. Afterwards only the device and the events are open. */
int fault_place_open(struct fault_place *p);
/* Close everything. Return the kind of things that the calls have left behind, or "". */
const char *fault_place_close(struct fault_place *p);

/* Create an overwrite ring. Returns 0 or -errno. */
int create_as(struct fault_place *p, uint32_t segment_size, uint32_t nr);

/* Close @fd if it is open. */
void close_fd(int *fd);
void close_ring(struct fault_place *p);
void close_ids(struct fault_place *p);
void unmap(struct fault_place *p);
void unmap_and_close(struct fault_place *p);

#endif /* FAULT_PLACE_H */
