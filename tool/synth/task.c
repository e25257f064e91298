// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe tasks that run already: their names, parents, namespaces and maps, from
 * /proc. Tasks that vanish meanwhile are left out.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "session/buildid.h"
#include "stream/records.h"
#include "stream/build.h"
#include "stream/map_kind.h"
#include "synth/synth.h"

/* Read the number of a line "Key:\tvalue" of /proc/PID/status. */
static int status_number(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p ? atoi(p + strlen(key)) : -1;
}

static int add_fork(struct session *s, pid_t pid, pid_t ppid, pid_t tid,
		    pid_t ptid)
{
	/* Without FORK_EXEC, readers copy the parent's maps to the child. */
	build_begin(&s->out, PERF_RECORD_FORK, REC_MISC_FORK_EXEC);
	build_add_u32(&s->out, pid);
	build_add_u32(&s->out, ppid);
	build_add_u32(&s->out, tid);
	build_add_u32(&s->out, ptid);
	build_add_u64(&s->out, 0);
	build_add_sample_id(&s->out);
	return build_end(&s->out);
}

static int add_comm(struct session *s, pid_t pid, pid_t tid, const char *comm)
{
	build_begin(&s->out, PERF_RECORD_COMM, 0);
	build_add_u32(&s->out, pid);
	build_add_u32(&s->out, tid);
	build_add_name(&s->out, comm);
	build_add_sample_id(&s->out);
	return build_end(&s->out);
}

/*
 * Describe a task's namespaces as the kernel does, by device and inode of their files. They are 0
 * for a file that auxrec has no permission to look at. If all are 0, there is no record.
 */
static int add_namespaces(struct session *s, pid_t pid, pid_t tid)
{
	static const char * const names[NR_NAMESPACES] = {
		[NET_NS_INDEX] = "net", [UTS_NS_INDEX] = "uts", [IPC_NS_INDEX] = "ipc",
		[PID_NS_INDEX] = "pid", [USER_NS_INDEX] = "user", [MNT_NS_INDEX] = "mnt",
		[CGROUP_NS_INDEX] = "cgroup",
	};
	bool known = false;
	char path[64];
	struct stat st;
	size_t i;

	if (!s->opt->namespaces)
		return 0;
	build_begin(&s->out, PERF_RECORD_NAMESPACES, 0);
	build_add_u32(&s->out, pid);
	build_add_u32(&s->out, tid);
	build_add_u64(&s->out, NR_NAMESPACES);
	for (i = 0; i < NR_NAMESPACES; i++) {
		snprintf(path, sizeof(path), "/proc/%d/task/%d/ns/%s", pid, tid, names[i]);
		if (stat(path, &st))
			memset(&st, 0, sizeof(st));
		known |= st.st_ino != 0;
		build_add_u64(&s->out, st.st_dev);
		build_add_u64(&s->out, st.st_ino);
	}
	build_add_sample_id(&s->out);
	return known ? build_end(&s->out) : 0;
}

static int add_thread(struct session *s, pid_t pid, pid_t tid)
{
	char path[64], comm[64], *status;
	pid_t ppid;
	int err;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	if (slurp(path, &status, NULL))
		return 0;
	ppid = status_number(status, "PPid:");
	free(status);
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	if (slurp_line(path, comm, sizeof(comm)))
		return 0;

	/* As in perf, all threads look as if the first one had made them. */
	if (tid == pid)
		err = add_fork(s, pid, ppid, tid, ppid);
	else
		err = add_fork(s, pid, pid, tid, pid);
	if (!err)
		err = add_comm(s, pid, tid, comm);
	return err ?: add_namespaces(s, pid, tid);
}

struct map {
	unsigned long long start, end, pgoff, ino;
	unsigned int maj, min;
	char perms[5];
	char *name;
};

/* Parse "start-end perms offset maj:min inode    name". */
static bool parse_map(char *line, struct map *m)
{
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &m->start,
		   &m->end, m->perms, &m->pgoff, &m->maj, &m->min, &m->ino,
		   &at) < 7 || !at)
		return false;
	m->name = line + at;
	return true;
}

/* Find what /proc/self/maps says about the map at @addr. */
static bool own_map(unsigned long addr, struct map *m)
{
	char *text, *line, *save;
	bool found = false;

	if (slurp("/proc/self/maps", &text, NULL))
		return false;
	for (line = strtok_r(text, "\n", &save); line && !found;
	     line = strtok_r(NULL, "\n", &save))
		found = parse_map(line, m) && m->start <= addr && addr < m->end;
	free(text);
	/* The name was in @text. */
	m->name = NULL;
	return found;
}

/*
 * Does @path, whose stat(2) is @st, name the file of map @m? After an update or a mount, another
 * file can have the same path, and on another device even the same inode number.
 *
 * If stat(2) gives other numbers than the map, this is no proof: maps of btrfs have the number of
 * the file system and stat(2) gives that of the subvolume (btrfs_getattr()), and on Linux 6.1
 * maps of overlayfs have the numbers of the lower file. So map the file here, and compare what the
 * kernel says about both maps. Files of two subvolumes of a btrfs look the same there.
 */
static bool is_mapped(const char *path, const struct stat *st, const struct map *m)
{
	struct map own;
	bool same;
	void *at;
	int fd;

	if (st->st_ino == m->ino && st->st_dev == makedev(m->maj, m->min))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (at == MAP_FAILED)
		return false;
	same = own_map((unsigned long)at, &own) && own.ino == m->ino && own.maj == m->maj &&
	       own.min == m->min;
	munmap(at, 1);
	return same;
}

/*
 * /proc/PID/map_files leads to the mapped file itself, even if its path has changed.
 * Using it needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE.
 */
static int map_id(struct session *s, pid_t pid, const struct map *m, struct build_id *id,
		  struct stat *st)
{
	char path[4200];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid,
		 m->start, m->end);
	err = build_id_file(&s->build_ids, path, id, st);
	if (err != -EPERM && err != -EACCES && err != -ENOENT)
		return err;
	if (id->size)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/root%s", pid, m->name);
	err = build_id_file(&s->build_ids, path, id, st);
	if (!err && !is_mapped(path, st, m))
		id->size = 0;
	return err;
}

static void find_id(struct session *s, pid_t pid, const struct map *m, struct build_id *id)
{
	struct stat st;

	memset(id, 0, sizeof(*id));
	if (map_has_file(m->name)) {
		if (map_id(s, pid, m, id, &st))
			id->size = 0;
	} else if (map_kind(m->name) == MAP_KIND_VDSO) {
		if (build_id_vdso(pid, m->start, m->end - m->start, id))
			id->size = 0;
	}
}

static void count_id(struct session *s, const struct map *m,
		     const struct build_id *id)
{
	if (id->size)
		s->long_build_ids += id->is_long;
	else if (map_has_file(m->name) || map_kind(m->name) == MAP_KIND_VDSO)
		s->missing_build_ids++;
}

static int add_map(struct session *s, pid_t pid, const struct map *m)
{
	struct build_id id = { 0 };
	__u32 prot = PROT_EXEC;
	int err;

	/* --no-buildid holds for the kernel's records too, see add_sideband() in session/attr.c. */
	if (!s->opt->no_buildid) {
		find_id(s, pid, m, &id);
		count_id(s, m, &id);
	}

	build_begin(&s->out, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER |
		    (id.size ? REC_MISC_MMAP_BUILD_ID : 0));
	build_add_u32(&s->out, pid);
	build_add_u32(&s->out, pid);
	build_add_u64(&s->out, m->start);
	build_add_u64(&s->out, m->end - m->start);
	build_add_u64(&s->out, m->pgoff);
	if (id.size) {
		const __u8 head[4] = { id.size };

		build_add(&s->out, head, sizeof(head));
		build_add(&s->out, id.id, sizeof(id.id));
	} else {
		build_add_u32(&s->out, m->maj);
		build_add_u32(&s->out, m->min);
		build_add_u64(&s->out, m->ino);
		build_add_u64(&s->out, 0);
	}
	if (m->perms[0] == 'r')
		prot |= PROT_READ;
	if (m->perms[1] == 'w')
		prot |= PROT_WRITE;
	build_add_u32(&s->out, prot);
	build_add_u32(&s->out, m->perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	build_add_name(&s->out, m->name[0] ? m->name : "//anon");
	build_add_sample_id(&s->out);
	err = build_end(&s->out);
	return err == -E2BIG ? 0 : err;
}

static int add_maps(struct session *s, pid_t pid)
{
	char path[64], *text, *line, *save;
	struct map m;
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	if (slurp(path, &text, NULL))
		return 0;
	for (line = strtok_r(text, "\n", &save); line && !err;
	     line = strtok_r(NULL, "\n", &save)) {
		/* Add only code, like the kernel without attr.mmap_data. */
		if (parse_map(line, &m) && m.perms[2] == 'x')
			err = add_map(s, pid, &m);
	}
	free(text);
	return err;
}

static int add_process(struct session *s, pid_t pid)
{
	char path[64];
	struct dirent *de;
	int err;
	DIR *dir;

	/* Add the first thread first, because the others belong to it. */
	err = add_thread(s, pid, pid);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && !err) {
		de = readdir(dir);
		if (!de)
			break;
		if (isdigit((unsigned char)de->d_name[0]) &&
		    atoi(de->d_name) != pid)
			err = add_thread(s, pid, atoi(de->d_name));
	}
	if (dir)
		closedir(dir);
	return err ? err : add_maps(s, pid);
}

static int add_all(struct session *s)
{
	struct dirent *de;
	int err = 0;
	DIR *dir;

	dir = opendir("/proc");
	while (dir && !err && (de = readdir(dir))) {
		if (isdigit((unsigned char)de->d_name[0]))
			err = add_process(s, atoi(de->d_name));
	}
	if (dir)
		closedir(dir);
	return err;
}

/* Return the process of a thread of -t. */
static pid_t tgid_of(pid_t tid)
{
	char path[64], *status;
	pid_t tgid;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	if (slurp(path, &status, NULL))
		return -1;
	tgid = status_number(status, "Tgid:");
	free(status);
	return tgid;
}

int synth_tasks(struct session *s)
{
	const struct options *opt = s->opt;
	size_t i, j;
	int err = 0;

	if (opt->system_wide)
		return add_all(s);

	for (i = 0; !err && i < opt->nr_targets; i++) {
		pid_t pid = opt->threads ? tgid_of(opt->targets[i]) :
					   opt->targets[i];

		/* Add a process once, even if several of its threads are recorded. */
		for (j = 0; j < i; j++)
			if ((opt->threads ? tgid_of(opt->targets[j]) :
					    opt->targets[j]) == pid)
				break;
		if (pid > 0 && j == i)
			err = add_process(s, pid);
	}
	/* The command's exec replaces its name and maps, but not its namespaces. */
	if (!err && s->child && !opt->nr_targets)
		err = add_namespaces(s, s->child, s->child);
	return err;
}
