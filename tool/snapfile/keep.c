// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limits of snapshots on disk: --keep, --keep-bytes, --keep-age.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "snapfile/keep.h"
#include "stream/read.h"
#include "zstd/read_frames.h"

static __u64 ns_of(const struct timespec *ts)
{
	return ts->tv_sec < 0 ? 0 : ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}

static struct keep_clock clock_now(void)
{
	struct timespec real, boot;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	return (struct keep_clock){ ns_of(&real), ns_of(&boot) };
}

bool keep_has_limits(const struct keep *k)
{
	return k->limits.nr || k->limits.bytes || k->limits.age;
}

static void free_files(struct keep_file *files, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(files[i].name);
	free(files);
}

/* Forget the first @nr noted snapshots. */
static void forget_noted(struct keep *k, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		free(k->noted[i].name);
	k->nr_noted -= nr;
	if (nr && k->nr_noted)
		memmove(k->noted, k->noted + nr, k->nr_noted * sizeof(*k->noted));
}

void keep_free(struct keep *k)
{
	free_files(k->files, k->nr);
	k->files = NULL;
	k->nr = 0;
	forget_noted(k, k->nr_noted);
	free(k->noted);
	k->noted = NULL;
}

static int copy_files(struct keep *copy, const struct keep *k)
{
	copy->files = calloc(k->nr + 1, sizeof(*copy->files));
	if (!copy->files)
		return -ENOMEM;
	for (; copy->nr < k->nr; copy->nr++) {
		struct keep_file *f = &copy->files[copy->nr];

		*f = k->files[copy->nr];
		f->name = strdup(f->name);
		if (!f->name)
			return -ENOMEM;
	}
	return 0;
}

static int add_noted(struct keep *k, const char *name, __u64 boot)
{
	struct keep_noted *n;

	if (grow((void **)&k->noted, k->nr_noted, sizeof(*k->noted)))
		return -ENOMEM;
	n = &k->noted[k->nr_noted];
	*n = (struct keep_noted){ strdup(name), boot };
	if (!n->name)
		return -ENOMEM;
	k->nr_noted++;
	return 0;
}

int keep_copy(struct keep *copy, struct keep *k)
{
	int err;
	size_t i;

	*copy = (struct keep){ .limits = k->limits, .name = k->name, .clock = k->clock };
	err = copy_files(copy, k);
	for (i = 0; !err && i < k->nr_noted; i++)
		err = add_noted(copy, k->noted[i].name, k->noted[i].boot);
	if (err)
		keep_free(copy);
	k->nr_copied = k->nr_noted;
	return err;
}

static __u64 age_of(const struct keep_file *f, const struct keep_clock *now)
{
	const __u64 seen = now->boot > f->seen ? now->boot - f->seen : 0;
	const __u64 says = now->real > f->time ? now->real - f->time : 0;

	return f->ours || seen > says ? seen : says;
}

static const struct keep_noted *noted(const struct keep *k, const char *name)
{
	size_t i = k->nr_noted;

	while (i--)
		if (!strcmp(k->noted[i].name, name))
			return &k->noted[i];
	return NULL;
}

/*
 * Mark the snapshots that this run has noted, also those that it has noted after the look. The look
 * may be a while ago, so compute all ages anew: ages are compared, so all must be as of one time.
 */
static void mark_noted(struct keep *k, const struct keep_clock *now)
{
	size_t i;

	for (i = 0; i < k->nr; i++) {
		struct keep_file *f = &k->files[i];
		const struct keep_noted *n = noted(k, f->name);

		if (n) {
			f->ours = true;
			f->seen = n->boot;
		}
		f->age = age_of(f, now);
	}
}

void keep_take(struct keep *k, struct keep *copy)
{
	const struct keep_clock now = k->clock();

	free_files(k->files, k->nr);
	k->files = copy->files;
	k->nr = copy->nr;
	copy->files = NULL;
	copy->nr = 0;
	keep_free(copy);
	mark_noted(k, &now);
}

/* libc computes local times under its own lock. Hold @names then, so that keep_fork() can wait. */
static pthread_mutex_t names = PTHREAD_MUTEX_INITIALIZER;

pid_t keep_fork(void)
{
	pid_t pid;
	int err;

	pthread_mutex_lock(&names);
	pid = fork();
	err = errno;
	pthread_mutex_unlock(&names);
	errno = err;
	return pid;
}

static bool is_name(const struct keep *k, const char *name, struct snapfile_parts *parts)
{
	bool is;

	pthread_mutex_lock(&names);
	is = snapfile_name_match(&k->name, name, parts);
	pthread_mutex_unlock(&names);
	return is;
}

static int by_name(const void *a, const void *b)
{
	const struct keep_file *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int cmp(__u64 a, __u64 b)
{
	return a < b ? -1 : a > b;
}

/* The oldest first. Within one centisecond, the other parts of the names decide. */
static int by_age(const void *a, const void *b)
{
	const struct keep_file *x = *(const struct keep_file **)a;
	const struct keep_file *y = *(const struct keep_file **)b;

	return cmp(y->age, x->age) ?: cmp(x->number, y->number) ?:
	       cmp(x->again, y->again) ?: strcmp(x->name, y->name);
}

static bool is_candidate(int dir, const char *name, struct stat *st)
{
	return !fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

/* Get the first bytes of the stream in a compressed file. */
static bool decompress_head(int fd, void *head, size_t len)
{
	struct read_frames *f = read_frames_new(read_fill_fd, &fd, "", 0);
	ssize_t n = f ? 1 : 0;
	size_t got = 0;

	while (n > 0 && got < len) {
		n = read_frames_get(f, (char *)head + got, len - got);
		if (n > 0)
			got += n;
	}
	read_frames_free(f);
	return got == len;
}

/* A name proves little, so check the file's header, too. */
static bool begins_as_stream(int dir, const char *name)
{
	static const char magic[8] = "PERFILE2";
	struct {
		char magic[8];
		__u64 size;
	} head;
	bool is;
	int fd;

	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	is = pread(fd, &head, sizeof(head), 0) == sizeof(head) &&
	     (!read_frames_begin(&head) || decompress_head(fd, &head, sizeof(head))) &&
	     !memcmp(head.magic, magic, sizeof(magic)) && head.size == sizeof(head);
	close(fd);
	return is;
}

static struct keep_file *known(const struct keep *k, const char *name,
			       const struct stat *st)
{
	const struct keep_file key = { .name = (char *)name };
	struct keep_file *f;

	f = k->nr ? bsearch(&key, k->files, k->nr, sizeof(key), by_name) : NULL;
	return f && f->dev == st->st_dev && f->ino == st->st_ino ? f : NULL;
}

/* Add @name to @files if it is a snapshot. Keep what is already known about it. */
static int look_at(const struct keep *k, int dir, const char *name,
		   const struct keep_clock *now, struct keep_file **files,
		   size_t *nr)
{
	const struct keep_noted *ours = noted(k, name);
	struct snapfile_parts parts;
	const struct keep_file *old;
	struct keep_file *f;
	struct stat st;

	if (!is_name(k, name, &parts) ||
	    !is_candidate(dir, name, &st))
		return 0;
	old = known(k, name, &st);
	if (!old && !begins_as_stream(dir, name))
		return 0;
	if (grow((void **)files, *nr, sizeof(**files)))
		return -ENOMEM;
	f = &(*files)[*nr];
	*f = (struct keep_file){
		.name = strdup(name),
		.dev = st.st_dev,
		.ino = st.st_ino,
		.size = st.st_size,
		.blocks = st.st_nlink == 1 ? st.st_blocks * 512ULL : 0,
		.time = parts.has_time ? parts.time : ns_of(&st.st_mtim),
		.number = parts.number,
		.again = parts.again,
		.seen = ours ? ours->boot : old ? old->seen : now->boot,
		.ours = ours || (old && old->ours),
		.stuck = old && old->stuck,
	};
	if (!f->name)
		return -ENOMEM;
	f->age = age_of(f, now);
	++*nr;
	return 0;
}

/* Set k->files to what is on disk. */
int keep_look(struct keep *k, struct diag *d)
{
	const struct keep_clock now = k->clock();
	struct keep_file *files = NULL;
	struct dirent *e;
	size_t nr = 0;
	int err = 0;
	DIR *dir;

	dir = opendir(k->name.dir);
	if (!dir)
		return diag(d, -errno, "cannot look for snapshots in %.500s: %s",
			    k->name.dir, strerror(errno));
	while (!err && (e = readdir(dir)))
		err = look_at(k, dirfd(dir), e->d_name, &now, &files, &nr);
	closedir(dir);
	if (err) {
		free_files(files, nr);
		return diag(d, err, "out of memory");
	}
	if (nr)
		qsort(files, nr, sizeof(*files), by_name);
	free_files(k->files, k->nr);
	k->files = files;
	k->nr = nr;
	return 0;
}

/* The snapshots on disk, and what exceeds the limits */
struct excess {
	struct keep *k;
	struct keep_file **order;	/* the oldest first */
	size_t newest;			/* its index in @order */
	__u64 nr;
	__u64 bytes;
	char why[32];
};

/* Return whether the file is still the one that was looked at. */
static bool is_same(const struct keep_victim *v)
{
	struct stat st;

	return is_candidate(AT_FDCWD, v->path, &st) && st.st_dev == v->dev &&
	       st.st_ino == v->ino && begins_as_stream(AT_FDCWD, v->path);
}

/* Plan to remove the file, and do not count it any more, whether its removal succeeds or not. */
static int plan_file(struct excess *x, const struct keep_file *f, struct keep_plan *p)
{
	struct keep_victim *v;

	x->nr--;
	x->bytes -= f->size;
	if (grow((void **)&p->list, p->nr, sizeof(*p->list)))
		return -ENOMEM;
	v = &p->list[p->nr];
	*v = (struct keep_victim){ .dev = f->dev, .ino = f->ino };
	memcpy(v->why, x->why, sizeof(v->why));
	if (asprintf(&v->path, "%s/%s", x->k->name.dir, f->name) < 0)
		return -ENOMEM;
	p->nr++;
	return 0;
}

void keep_remove(struct keep_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++) {
		struct keep_victim *v = &p->list[i];

		/* Another recorder may have removed the file. */
		if (!is_same(v))
			continue;
		v->removed = !unlink(v->path);
		v->err = v->removed || errno == ENOENT ? 0 : -errno;
	}
}

static void plan_free(struct keep_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr; i++)
		free(p->list[i].path);
	free(p->list);
	keep_unlock(p->lock);
	*p = (struct keep_plan){ .lock = -1 };
}

/* Does the oldest snapshot, @f, exceed a limit? */
static bool too_much(struct excess *x, const struct keep_file *f)
{
	const struct keep_limits *l = &x->k->limits;

	if (l->nr && x->nr > l->nr)
		snprintf(x->why, sizeof(x->why), "--keep=%llu", l->nr);
	else if (l->bytes && x->bytes > l->bytes)
		snprintf(x->why, sizeof(x->why), "--keep-bytes");
	else if (l->age && f->age > l->age)
		snprintf(x->why, sizeof(x->why), "--keep-age");
	else
		return false;
	return true;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int set_order(struct excess *x, struct keep *k, const char *newest,
		     struct diag *d)
{
	size_t i;

	*x = (struct excess){ .k = k };
	x->order = calloc(k->nr + 1, sizeof(*x->order));
	if (!x->order)
		return diag(d, -ENOMEM, "out of memory");
	for (i = 0; i < k->nr; i++) {
		x->order[i] = &k->files[i];
		x->nr++;
		x->bytes += k->files[i].size;
	}
	qsort(x->order, k->nr, sizeof(*x->order), by_age);
	x->newest = k->nr - 1;
	for (i = 0; newest && i < k->nr; i++) {
		if (!strcmp(x->order[i]->name, newest))
			x->newest = i;
	}
	return 0;
}

static struct keep_file *of_path(const struct keep *k, const char *path)
{
	const struct keep_file key = { .name = (char *)base_name(path) };

	return k->nr ? bsearch(&key, k->files, k->nr, sizeof(key), by_name) : NULL;
}

size_t keep_removed(struct keep *k, struct keep_plan *p, keep_told *told, void *ctx)
{
	size_t i, nr = 0;

	for (i = 0; i < p->nr; i++) {
		const struct keep_victim *v = &p->list[i];
		struct keep_file *f = of_path(k, v->path);

		if (told && (v->removed || (v->err && !(f && f->stuck))))
			told(ctx, v->path, v->why, v->err);
		if (f)
			f->stuck = v->err;
		nr += v->removed;
	}
	plan_free(p);
	return nr;
}

int keep_note(struct keep *k, const char *committed, struct diag *d)
{
	if (!keep_has_limits(k))
		return 0;
	if (add_noted(k, base_name(committed), k->clock().boot))
		return diag(d, -ENOMEM, "out of memory");
	return 0;
}

int keep_start(struct keep *k, const struct keep_limits *limits,
	       const char *pattern, const char *base, struct diag *d)
{
	int err;

	memset(k, 0, sizeof(*k));
	k->limits = *limits;
	k->clock = clock_now;
	err = snapfile_name_init(&k->name, pattern, base, d);
	if (err || !keep_has_limits(k))
		return err;
	return keep_look(k, d);
}

/*
 * Without the lock, each of two recorders with the same pattern could remove the other's newest
 * snapshot. Do not wait for the lock, because the other recorder may be stopped: what exceeds the
 * limits is removed next time.
 */
int keep_lock(const struct keep *k)
{
	int fd = open(k->name.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return -EWOULDBLOCK;
	}
	return fd;
}

/*
 * A child that writes a snapshot may have the same descriptor, so close() alone would not release
 * the lock.
 */
void keep_unlock(int lock)
{
	if (lock < 0)
		return;
	flock(lock, LOCK_UN);
	close(lock);
}

static int plan_excess(struct keep *k, const char *newest, struct keep_plan *p,
		       struct diag *d)
{
	struct excess x;
	size_t i;
	int err;

	err = set_order(&x, k, newest, d);
	if (err)
		return err;
	for (i = 0; !err && i < k->nr; i++) {
		if (!too_much(&x, x.order[i]))
			break;
		if (i != x.newest)
			err = plan_file(&x, x.order[i], p);
	}
	free(x.order);
	return err ? diag(d, err, "out of memory") : 0;
}

/*
 * Forget the noted snapshots that the look has found. The others were written after the look and
 * are left for the next one.
 */
static void forget_found(struct keep *k)
{
	const size_t before = k->nr_copied < k->nr_noted ? k->nr_copied : k->nr_noted;

	forget_noted(k, before);
	while (k->nr_noted && of_path(k, k->noted[0].name))
		forget_noted(k, 1);
	k->nr_copied = 0;
}

int keep_plan(struct keep *k, int lock, struct keep_plan *p, struct diag *d)
{
	const char *newest = k->nr_noted ? k->noted[k->nr_noted - 1].name : NULL;
	int err = 0;

	*p = (struct keep_plan){ .lock = lock };
	if (lock != -EWOULDBLOCK)
		err = plan_excess(k, newest, p, d);
	if (err)
		plan_free(p);
	else
		forget_found(k);
	return err;
}

/*
 * A file that a program has open takes its room until it is closed. The kernel grants a write
 * lease only if nobody else has the file open.
 */
static bool is_in_use(const struct keep *k, const struct keep_file *f)
{
	bool in_use;
	char *path;
	int fd;

	if (asprintf(&path, "%s/%s", k->name.dir, f->name) < 0)
		return true;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return true;
	in_use = fcntl(fd, F_SETLEASE, F_WRLCK) && errno == EAGAIN;
	close(fd);
	return in_use;
}

static __u64 all_blocks(const struct keep *k)
{
	__u64 bytes = 0;
	size_t i;

	for (i = 0; i < k->nr; i++)
		if (!k->files[i].stuck && !is_in_use(k, &k->files[i]))
			bytes += k->files[i].blocks;
	return bytes;
}

/* Return how many of the oldest snapshots may be removed for @new. */
static size_t may_go(const struct keep *k, const struct keep_new *new)
{
	const int fits = new && k->nr ? new->fits(new->ctx, all_blocks(k)) : -1;

	if (!fits || !k->nr)
		return 0;
	return fits > 0 ? k->nr : k->nr - 1;
}

int keep_make_room(struct keep *k, const struct keep_new *new, keep_told *told, void *ctx,
		   struct diag *d)
{
	bool removed = false;
	struct excess x;
	size_t i, nr;
	int err;

	if (!keep_has_limits(k))
		return 0;
	err = keep_look(k, d);
	if (!err)
		err = set_order(&x, k, NULL, d);
	if (err)
		return err;
	nr = may_go(k, new);
	snprintf(x.why, sizeof(x.why), "no space");
	for (i = 0; !err && i < nr && !removed; i++) {
		struct keep_plan p = { .lock = -1 };

		err = plan_file(&x, x.order[i], &p);
		keep_remove(&p);
		removed = keep_removed(k, &p, told, ctx);
	}
	free(x.order);
	return err ? diag(d, err, "out of memory") : removed;
}
