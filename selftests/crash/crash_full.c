// SPDX-License-Identifier: GPL-2.0-only
/*
 * crash_full: test the interface of the region of kept rings while it has data of an earlier boot:
 * who may look at it and how, and that nothing else takes its place. Ends with an empty region.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ring/lib/ring_lib.h"
#include "../tap.h"

#define PAGE	4096
#define TESTER	1000

static int dev;
static struct perfaux_kept arg;

static int kept(uint32_t flags)
{
	int ret;

	arg = (struct perfaux_kept){ .size = sizeof(arg), .flags = flags };
	ret = ioctl(dev, PERFAUX_IOC_KEPT, &arg);
	return ret < 0 ? -errno : ret;
}

static uint32_t state(void)
{
	kept(0);
	return arg.state;
}

static int create(void)
{
	struct perfaux_create c;
	int fd;

	ring_params(&c, PAGE, 2);
	c.flags = PERFAUX_RING_KEPT;
	fd = ioctl(dev, PERFAUX_IOC_CREATE, &c);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/* In a child without rights: exit with the number of calls that were not refused. */
static void try_all(void *unused)
{
	(void)unused;
	_exit((kept(PERFAUX_KEPT_OPEN) != -EPERM) + (kept(PERFAUX_KEPT_WIPE) != -EPERM) +
	      (create() != -EPERM) + (state() != PERFAUX_KEPT_FULL));
}

static void test_rights(void)
{
	struct in_namespace in = { .map = "0 0 1", .fn = try_all };
	struct child child;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (become_uid(TESTER))
			_exit(100);
		try_all(NULL);
	}
	waitpid(pid, &status, 0);
	tap_report(WIFEXITED(status) && !WEXITSTATUS(status), "an ordinary user is refused (%#x)",
		   status);
	status = in_namespace(&child, &in) ?: child_wait(&child);
	/* The KCSAN kernel can lack user namespaces. */
	tap_report(!status, "root of a user namespace is refused (%#x)", status);
}

/* Returns 0 or -errno. */
static int try_map(int fd, size_t size, int prot, int flags, off_t offset)
{
	void *at = mmap(NULL, size, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, size);
	return 0;
}

static void test_map(int fd, size_t size)
{
	int exec;

	tap_report(try_map(fd, size - PAGE, PROT_READ, MAP_SHARED, 0) == -EINVAL &&
		   try_map(fd, size + PAGE, PROT_READ, MAP_SHARED, 0) == -EINVAL &&
		   try_map(fd, size, PROT_READ, MAP_SHARED, PAGE) == -EINVAL,
		   "a mapping of another size or offset is refused");
	tap_report(try_map(fd, size, PROT_READ, MAP_PRIVATE, 0) == -EINVAL,
		   "a private mapping is refused");
	tap_report(try_map(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0) == -EACCES,
		   "a mapping to write is refused");
	/* Since 6.17, nothing in the file system of such descriptors can be executed. */
	exec = try_map(fd, size, PROT_READ | PROT_EXEC, MAP_SHARED, 0);
	tap_report(exec == -EACCES || exec == -EPERM, "a mapping to execute is refused (%d)", exec);
}

static void test_open(void)
{
	int fd = kept(PERFAUX_KEPT_OPEN);
	const size_t size = arg.region_size;
	uint8_t *at;

	tap_report(fd >= 0 && arg.state == PERFAUX_KEPT_USED && fcntl(fd, F_GETFD) == FD_CLOEXEC,
		   "the region can be opened (%d)", fd);
	tap_report(kept(PERFAUX_KEPT_OPEN) == -EBUSY && kept(PERFAUX_KEPT_WIPE) == -EBUSY &&
		   create() == -EBUSY && state() == PERFAUX_KEPT_USED, "it is busy then");
	test_map(fd, size);
	at = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	tap_report(at != MAP_FAILED && !memcmp(at, PERFAUX_KEPT_MAGIC, 8), "it can be read");
	if (at == MAP_FAILED)
		exit(tap_end());
	tap_report(mprotect(at, size, PROT_READ | PROT_WRITE) && errno == EACCES &&
		   mprotect(at, size, PROT_READ | PROT_EXEC) && errno == EACCES,
		   "the mapping stays read-only");
	close(fd);
	tap_report(kept(PERFAUX_KEPT_OPEN) == -EBUSY, "a mapping alone keeps it busy");
	munmap(at, size);
	tap_report(state() == PERFAUX_KEPT_FULL, "its data is there after that");
}

/* Returns the state of the region after the module was inserted again. */
static int insert_again(const char *params)
{
	int ret;

	close(dev);
	ret = module_remove_wait("perfaux") ?: module_insert("perfaux", params);
	dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	return ret ?: (int)state();
}

int main(void)
{
	dev = open(PERFAUX_DEVICE, O_RDWR | O_CLOEXEC);
	tap_report(state() == PERFAUX_KEPT_FULL, "the region is full");
	tap_report(create() == -EEXIST, "a new ring is refused");
	test_rights();
	test_open();
	tap_report(insert_again("") == PERFAUX_KEPT_FULL, "a new module finds the data");
	tap_report(insert_again("persist=0") == PERFAUX_KEPT_EMPTY, "persist=0 wipes the data");
	tap_report(module_insert("crashgen", "how=look") == -ENODATA, "nothing is left");
	tap_report(kept(PERFAUX_KEPT_OPEN) == -ENODATA, "there is nothing to open");
	tap_report(!create(), "a new ring finds room");
	/* The closed ring is freed when its last writer has gone. */
	while (state() == PERFAUX_KEPT_USED)
		sched_yield();
	return tap_failed;
}
