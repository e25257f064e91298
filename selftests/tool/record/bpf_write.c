// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_write [--ring|--ringbuf|--later] PIN SIZE CMD [ARG]...: run CMD while a BPF program writes
 * SIZE bytes each time that a task changes its name (task:task_rename). raw_bpf.h describes
 * what the program writes. The program writes to a map that bpf_write makes and pins as PIN:
 *
 * - Without an option, PIN is a perf event array.
 * - With --ring, PIN is an array for the handle of a raw ring, and the program writes to that ring.
 * - With --ringbuf, PIN is a ring buffer of BPF.
 * - With --later, PIN is a ring buffer of BPF too, but the program starts to write only when
 *   bpf_write has read a byte of input.
 *
 * The exit status is 77 if the kernel has no BPF or perfaux.ko has no BTF.
 *
 * bpf_write --check SIZE FILE: check that FILE consists of such values, and print how many there
 * are. A value's number tells how many values its CPU has written.
 *
 * bpf_write --value PIN: print element 0 of the array PIN.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../ring/lib/raw_bpf.h"

#define STATUS_SKIP	77
#define RINGBUF_SIZE	65536

static int fail(const char *what, int err)
{
	fprintf(stderr, "bpf_write: %s: %s\n", what, strerror(-err));
	return err == -ENOSYS || err == -ENOENT ? STATUS_SKIP : 1;
}

static int check(uint32_t size, const char *path)
{
	uint8_t *value = malloc(size);
	FILE *f = fopen(path, "r");
	unsigned long n = 0;
	uint64_t number;
	size_t got;

	if (!value || !f)
		return fail(path, -errno);
	while ((got = fread(value, 1, size, f)) == size) {
		if (!raw_bpf_check(value, size, &number)) {
			fprintf(stderr, "bpf_write: %s: value %lu is wrong\n",
				path, n);
			return 1;
		}
		n++;
	}
	fclose(f);
	free(value);
	if (got) {
		fprintf(stderr, "bpf_write: %s: %zu bytes at its end\n", path,
			got);
		return 1;
	}
	printf("%lu\n", n);
	return 0;
}

/* Print element 0 of an array of numbers. */
static int value(const char *path)
{
	union bpf_attr attr;
	uint32_t key = 0;
	uint64_t number;
	int map;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (unsigned long)path;
	map = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
	if (map < 0)
		return fail(path, -errno);
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)&number;
	if (syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr)))
		return fail(path, -errno);
	printf("%llu\n", (unsigned long long)number);
	return 0;
}

static int pin(int map, const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (unsigned long)path;
	attr.bpf_fd = map;
	return syscall(SYS_bpf, BPF_OBJ_PIN, &attr, sizeof(attr)) ? -errno : 0;
}

enum where {
	EVENTS,
	RING,
	RINGBUF,
};

/* Load the program. Return the map that must be pinned, or an error. */
static int load(struct raw_bpf *bpf, enum where where, uint32_t size)
{
	int err;

	switch (where) {
	case RING:
		err = raw_bpf_load_ring(bpf, size);
		return err ? err : bpf->handles;
	case RINGBUF:
		err = raw_bpf_load_many(bpf, size, 1, RINGBUF_SIZE);
		return err ? err : bpf->ringbuf;
	default:
		err = raw_bpf_load(bpf, size);
		return err ? err : bpf->events;
	}
}

int main(int argc, char **argv)
{
	const struct perf_event_attr attr = raw_rename_attr();
	enum where where = EVENTS;
	struct raw_event tracepoint;
	bool later = false;
	char byte;
	struct raw_bpf bpf;
	int map, err;

	if (argc == 4 && !strcmp(argv[1], "--check"))
		return check(strtoul(argv[2], NULL, 0), argv[3]);
	if (argc == 3 && !strcmp(argv[1], "--value"))
		return value(argv[2]);
	if (argc > 1 && !strcmp(argv[1], "--ring"))
		where = RING;
	else if (argc > 1 && !strcmp(argv[1], "--ringbuf"))
		where = RINGBUF;
	else if (argc > 1 && !strcmp(argv[1], "--later"))
		later = true;
	if (later)
		where = RINGBUF;
	if (where != EVENTS) {
		argc--;
		argv++;
	}
	if (argc < 4) {
		fputs("usage: bpf_write [--ring|--ringbuf|--later] PIN SIZE CMD [ARG]...\n"
		      "       bpf_write --check SIZE FILE\n"
		      "       bpf_write --value PIN\n", stderr);
		return 2;
	}
	map = load(&bpf, where, strtoul(argv[2], NULL, 0));
	if (map < 0)
		return fail("cannot load the program", map);
	err = pin(map, argv[1]);
	if (err)
		return fail(argv[1], err);
	if (later && read(STDIN_FILENO, &byte, 1) != 1)
		return fail("no input", -EPIPE);
	err = raw_open(&tracepoint, &attr, 0, -1, 0);
	if (!err)
		err = raw_bpf_run_at(&bpf, tracepoint.fd);
	if (err)
		return fail("task:task_rename", err);
	/* Only the map is pinned: event and program exist only while CMD has them open. */
	fcntl(tracepoint.fd, F_SETFD, 0);
	fcntl(bpf.prog, F_SETFD, 0);
	execvp(argv[3], argv + 3);
	return fail(argv[3], -errno);
}
