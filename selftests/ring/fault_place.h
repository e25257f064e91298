/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests with faults use: a ring, events, and what is to be as before at the end. */
#ifndef FAULT_PLACE_H
#define FAULT_PLACE_H

#include <perfaux.h>
#include <stddef.h>
#include <stdint.h>

#include "../ids/fuse_server.h"
#include "../ids/ids_lib.h"

#define PAGE		4096
#define WAIT_NS		30000000000ULL

/* A ring, and what is attached to it. All of it is there, or -1. */
struct fault_place {
	int dev;
	struct perfaux_create create;
	int ring;
	int ids;
	int aux;
	int raw;
	int trigger;
	int epoll;
	int info;			/* fdinfo of one of these */
	struct map_ring maps;		/* whose records have build-ids */
	struct elf_set set;
	struct fuse_server server;	/* that has its files */
	char fuse_dir[64];
	int fuse_file;			/* one of them */
	void *mapped;
	size_t mapped_size;
	int log;			/* of the kernel */
	bool inserts;			/* the module, for which the kernel asks for memory, too */
	/* before all of it */
	int count;
	int vmalloced;
	int files;
};

/* Returns 0 or -errno. The device and the events are open, nothing else. */
int fault_place_open(struct fault_place *p);
/* What is left, or "" */
const char *fault_place_close(struct fault_place *p);

/* A ring that is overwritten: 0 or -errno */
int create_as(struct fault_place *p, uint32_t segment_size, uint32_t nr);

/* What is not there is left alone. */
void close_fd(int *fd);
void close_ring(struct fault_place *p);
void close_ids(struct fault_place *p);
void unmap(struct fault_place *p);
void unmap_and_close(struct fault_place *p);

#endif /* FAULT_PLACE_H */
