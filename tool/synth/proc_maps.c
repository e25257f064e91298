// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processes have mapped now, from /proc.
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

/* Of those outside of our PID namespace nothing is known: then it is EINVAL. */
static bool lives(void *ctx, __u32 pid, __u32 tid)
{
	(void)ctx;
	return !syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH;
}

/* "TID (NAME) STATE ...", where a name may have brackets and blanks */
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
 * Does one of its threads wait uninterruptibly, such as for a disk? It may have, or wait for,
 * what guards the maps (mmap_lock, which pid_maps_open() and m_start() take), and who reads
 * them waits as long. stat does not take it.
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

	/* Another time */
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
	/* A kernel thread, or one that has just ended */
	return maps->nr;
}

static bool mapped(void *ctx, __u64 start, __u64 last)
{
	const struct proc_maps *maps = ctx;
	size_t low = 0, high = maps->nr;

	/* The first one that ends at start or behind it */
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
