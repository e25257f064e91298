// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open, map and wipe the memory of a kept ring.
 */
#include <errno.h>
#include <fcntl.h>
#include <perfaux.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "recover/region.h"
#include "ring/rawring.h"

static int kept_error(int err, struct diag *d)
{
	switch (err) {
	case -ENODEV:
		return diag(d, -ENODATA,
			    "no memory is reserved for what must survive a crash: boot with reserve_mem=64M:4096:perfaux nokaslr (Linux 6.11 or later)");
	case -ENODATA:
		return diag(d, err, "nothing was kept: no flight recorder with --survive-crash was running when the machine stopped");
	case -EBUSY:
		return diag(d, err, "the reserved memory is in use: a flight recorder with --survive-crash runs, or another auxrec recover");
	case -EPERM:
		return diag(d, err, "only root may read what was kept");
	default:
		return diag(d, err, "%s: PERFAUX_IOC_KEPT: %s", PERFAUX_DEVICE, strerror(-err));
	}
}

/* Return what the ioctl returns, or -errno with a message. */
static int kept_call(__u32 flags, struct perfaux_kept *kept, struct diag *d)
{
	const int device = rawring_device(d);
	int ret;

	if (device < 0)
		return device;
	*kept = (struct perfaux_kept){ .size = sizeof(*kept), .flags = flags };
	ret = ioctl(device, PERFAUX_IOC_KEPT, kept);
	if (ret < 0)
		ret = kept_error(-errno, d);
	close(device);
	return ret;
}

static int map_region(struct region *r, int fd, int flags, size_t size, const char *what,
		      struct diag *d)
{
	void *p = mmap(NULL, size, PROT_READ, flags, fd, 0);
	const int err = -errno;

	close(fd);
	if (p == MAP_FAILED)
		return diag(d, err, "%s: cannot map it: %s", what, strerror(-err));
	*r = (struct region){ .memory = p, .size = size };
	return 0;
}

static int open_file(struct region *r, const char *file, struct diag *d)
{
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return diag(d, -errno, "%s: %s", file, strerror(errno));
	if (fstat(fd, &st) || !st.st_size) {
		close(fd);
		return diag(d, -EBADMSG, "%s: the file is empty", file);
	}
	return map_region(r, fd, MAP_PRIVATE, st.st_size, file, d);
}

int region_open(struct region *r, const char *file, struct diag *d)
{
	struct perfaux_kept kept;
	int fd;

	*r = (struct region){ .memory = NULL };
	if (file)
		return open_file(r, file, d);
	fd = kept_call(PERFAUX_KEPT_OPEN, &kept, d);
	if (fd < 0)
		return fd;
	return map_region(r, fd, MAP_SHARED, kept.region_size, "the reserved memory", d);
}

void region_close(struct region *r)
{
	if (r->memory)
		munmap(r->memory, r->size);
	r->memory = NULL;
}

/* The memory is wiped after this, so the data must be on disk. */
static int write_region(const struct region *r, int fd)
{
	size_t at = 0;

	while (at < r->size) {
		const ssize_t n = write(fd, (const char *)r->memory + at, r->size - at);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += n;
	}
	return fsync(fd) ? -errno : 0;
}

int region_save(const struct region *r, const char *file, struct diag *d)
{
	const int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return diag(d, -errno, "%s: %s", file, strerror(errno));
	err = write_region(r, fd);
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(file);
	return err ? diag(d, err, "%s: cannot write %zu bytes: %s", file, r->size,
			  strerror(-err)) : 0;
}

int region_wipe(struct diag *d)
{
	struct perfaux_kept kept;

	return kept_call(PERFAUX_KEPT_WIPE, &kept, d);
}
