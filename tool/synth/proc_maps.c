// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find out from /proc which tasks live and what processes have mapped now.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "synth/proc_maps.h"
#include "base/util.h"

/*
 * Nothing is known about a task outside of auxrec's PID namespace. tgkill() fails with EINVAL then,
 * and the task counts as living.
 */
static bool lives(void *ctx, __u32 pid, __u32 tid)
{
	(void)ctx;
	return !syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH;
}

/* Is the state D in "TID (NAME) STATE ..."? The name can contain brackets and blanks. */
static bool waits(int dir, const char *tid)
{
	char path[NAME_MAX + 8], text[256];
	const char *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/stat", tid);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	end = strrchr(text, ')');
	return end && end[1] == ' ' && end[2] == 'D';
}

/*
 * Does one of the process's threads wait uninterruptibly, such as for a disk? The thread may hold,
 * or wait for, mmap_lock. Reading maps (m_start()) may need this lock, too, and would then wait as
 * long as the thread. Reading stat does not take the lock.
 */
static bool is_stuck(__u32 pid)
{
	const struct dirent *e;
	bool stuck = false;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%u/task", pid);
	dir = opendir(path);
	while (dir && !stuck && (e = readdir(dir)))
		stuck = *e->d_name != '.' && waits(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
	return stuck;
}

static bool begin(void *ctx, __u32 pid)
{
	struct proc_maps *maps = ctx;
	uint64_t start, end;
	char path[64];
	FILE *f;

	/* The caller can try again later. */
	if (is_stuck(pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	maps->nr = 0;
	while (fscanf(f, "%" SCNx64 "-%" SCNx64 "%*[^\n]", &start, &end) == 2) {
		if (grow((void **)&maps->list, maps->nr, sizeof(*maps->list)))
			break;
		maps->list[maps->nr++] = (struct proc_range){ start, end - 1 };
	}
	fclose(f);
	/* No maps: it is a kernel thread, or a process that has just ended. */
	return maps->nr;
}

static bool mapped(void *ctx, __u64 start, __u64 last)
{
	const struct proc_maps *maps = ctx;
	size_t low = 0, high = maps->nr;

	/* Find the first range that ends at @start or after it. */
	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (maps->list[mid].last < start)
			low = mid + 1;
		else
			high = mid;
	}
	return low < maps->nr && maps->list[low].start <= last;
}

struct state_ask proc_maps_ask(struct proc_maps *maps)
{
	return (struct state_ask){
		.lives = lives, .begin = begin, .mapped = mapped, .ctx = maps,
	};
}

void proc_maps_free(struct proc_maps *maps)
{
	free(maps->list);
}
