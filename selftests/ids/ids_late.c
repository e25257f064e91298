// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for ids that come in notices, after a worker has read the file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "ids_lib.h"
#include "../ring/lib/ring_lib.h"

bool late_settled(int fd)
{
	uint64_t end = now_ns() + 50000000000ULL;

	while (ring_fdinfo(fd, "pending") && now_ns() < end)
		sched_yield();
	return !ring_fdinfo(fd, "pending");
}

/* Return whether @pid is a sleeping worker of the module, see wq_worker_comm(). */
static bool is_reader(const char *pid)
{
	char path[64], text[256];

	if (*pid < '0' || *pid > '9')
		return false;
	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (file_read(path, text, sizeof(text)))
		return false;
	return strstr(text, "+perfaux_ids) D") ||
	       strstr(text, "+perfaux_ids) S");
}

int late_readers(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int nr = 0;

	while (proc && (entry = readdir(proc)))
		nr += is_reader(entry->d_name);
	if (proc)
		closedir(proc);
	return nr;
}

bool late_reading(int nr)
{
	uint64_t end = now_ns() + 50000000000ULL;
	bool found;

	do {
		found = late_readers() >= nr;
	} while (!found && now_ns() < end);
	return found;
}

bool late_not_others(struct map_ring *ring, const struct elf_set *set)
{
	const struct id expected = elf_set_find(set, "lib.so")->id;
	struct map_record record;
	char path[256];

	snprintf(path, sizeof(path), "%s/lib.so", set->dir);
	map_ring_clear(ring);
	return !map_path(path, WAY_PRIVATE) && map_ring_next(ring, &record) &&
	       id_equal(&expected, &record.id);
}

static bool late_id_right(const struct perfaux_notice *notice,
			  const struct elf_set *set, const char *dir)
{
	const char *path = notice_name(notice);
	const char *name = strrchr(path, '/');
	struct id id = notice_id(notice);
	const struct elf_file *file;
	struct stat st;

	file = name ? elf_set_find(set, name + 1) : NULL;
	if (!file || strlen(dir) != (size_t)(name - path) ||
	    strncmp(path, dir, name - path) || stat(path, &st)) {
		diag("%s: late id of a file that is not in %s", path, dir);
		return false;
	}
	if (st.st_ino != notice->ino ||
	    st.st_dev != makedev(notice->major, notice->minor)) {
		diag("%s: inode %lu on %u:%u, not %lu on %u:%u", path,
		     (unsigned long)notice->ino, notice->major, notice->minor,
		     st.st_ino, major(st.st_dev), minor(st.st_dev));
		return false;
	}
	if (!id_equal(&file->id, &id)) {
		diag("%s: late id %s, not %s", path, id_text(&id),
		     id_text(&file->id));
		return false;
	}
	return true;
}

int64_t late_ids_read(int fd, const struct elf_set *set, const char *dir)
{
	const struct perfaux_notice *notice;
	struct notices notices = { 0 };
	int64_t nr = 0;
	bool right = true;

	while (notices_read(fd, &notices) > 0) {
		while ((notice = notices_next(&notices))) {
			if (notice->type != PERFAUX_NOTICE_LATE_ID)
				continue;
			right &= late_id_right(notice, set, dir);
			nr++;
		}
		right &= !errno;
	}
	notices_free(&notices);
	return right ? nr : -EBADMSG;
}
