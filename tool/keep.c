// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many snapshots stay on disk: --keep, --keep-bytes, --keep-age.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "keep.h"

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

static bool has_limits(const struct keep *k)
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

void keep_free(struct keep *k)
{
	free_files(k->files, k->nr);
	k->files = NULL;
	k->nr = 0;
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

/* The oldest first; of one centisecond by what else their names say */
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

/* A name proves little. */
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
	     !memcmp(head.magic, magic, sizeof(magic)) &&
	     head.size == sizeof(head);
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

static __u64 age_of(const struct keep_file *f, const struct keep_clock *now)
{
	const __u64 seen = now->boot > f->seen ? now->boot - f->seen : 0;
	const __u64 says = now->real > f->time ? now->real - f->time : 0;

	return f->ours || seen > says ? seen : says;
}

/* Adds @name to @files if it is a snapshot. What is known of it stays known. */
static int look_at(const struct keep *k, int dir, const char *name,
		   const struct keep_clock *now, struct keep_file **files,
		   size_t *nr)
{
	struct snapfile_parts parts;
	const struct keep_file *old;
	struct keep_file *f;
	struct stat st;

	if (!snapfile_name_match(&k->name, name, &parts) ||
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
		.time = parts.has_time ? parts.time : ns_of(&st.st_mtim),
		.number = parts.number,
		.again = parts.again,
		.seen = old ? old->seen : now->boot,
		.ours = old && old->ours,
		.stuck = old && old->stuck,
	};
	if (!f->name)
		return -ENOMEM;
	f->age = age_of(f, now);
	++*nr;
	return 0;
}

/* Makes k->files what is on disk. */
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

/* What is not wanted, and those of what is on disk that may go */
struct excess {
	struct keep *k;
	struct keep_file **order;	/* the oldest first */
	size_t newest;			/* its index there */
	__u64 nr;
	__u64 bytes;
	char why[32];
};

/* It is still what it was when it was looked at. */
static bool is_same(const struct keep_victim *v)
{
	struct stat st;

	return is_candidate(AT_FDCWD, v->path, &st) && st.st_dev == v->dev &&
	       st.st_ino == v->ino && begins_as_stream(AT_FDCWD, v->path);
}

/* Whatever comes of it, the limits are for the others then. */
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

		/* Another recorder may have been faster. */
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
	if (p->lock >= 0)
		close(p->lock);
	*p = (struct keep_plan){ .lock = -1 };
}

/* Is the oldest, @f, too much? */
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

static int set_order(struct excess *x, struct keep *k, const char *committed,
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
	for (i = 0; committed && i < k->nr; i++) {
		if (!strcmp(x->order[i]->name, base_name(committed)))
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

/* The look that finds it new is the one after it was written. */
static void mark_ours(struct keep *k, const char *committed)
{
	struct keep_file *f = of_path(k, committed);

	if (!f)
		return;
	f->ours = true;
	f->age = 0;
}

int keep_note(struct keep *k, const char *committed, struct diag *d)
{
	int err;

	if (!has_limits(k))
		return 0;
	err = keep_look(k, d);
	if (!err && committed)
		mark_ours(k, committed);
	return err;
}

int keep_start(struct keep *k, const struct keep_limits *limits,
	       const char *pattern, const char *base, struct diag *d)
{
	int err;

	memset(k, 0, sizeof(*k));
	k->limits = *limits;
	k->clock = clock_now;
	err = snapfile_name_init(&k->name, pattern, base, d);
	if (err || !has_limits(k))
		return err;
	return keep_look(k, d);
}

/*
 * Of two recorders with one pattern each could find that the other's newest is the one
 * to go. Not waited for, as the other may be stopped: what is too much goes next time.
 */
static int lock_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		close(fd);
		return -EWOULDBLOCK;
	}
	return fd;
}

static int plan_excess(struct keep *k, const char *committed, struct keep_plan *p,
		       struct diag *d)
{
	struct excess x;
	size_t i;
	int err;

	err = set_order(&x, k, committed, d);
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

int keep_plan(struct keep *k, const char *committed, struct keep_plan *p, struct diag *d)
{
	int err;

	*p = (struct keep_plan){ .lock = -1 };
	if (!has_limits(k))
		return 0;
	p->lock = lock_dir(k->name.dir);
	err = keep_note(k, committed, d);
	if (!err && p->lock != -EWOULDBLOCK)
		err = plan_excess(k, committed, p, d);
	if (err)
		plan_free(p);
	return err;
}

int keep_apply(struct keep *k, const char *committed, keep_told *told,
	       void *ctx, struct diag *d)
{
	struct keep_plan p;
	int err;

	err = keep_plan(k, committed, &p, d);
	if (err)
		return err;
	keep_remove(&p);
	return keep_removed(k, &p, told, ctx);
}

int keep_make_room(struct keep *k, keep_told *told, void *ctx, struct diag *d)
{
	bool removed = false;
	struct excess x;
	size_t i;
	int err;

	if (!has_limits(k))
		return 0;
	err = keep_look(k, d);
	if (!err)
		err = set_order(&x, k, NULL, d);
	if (err)
		return err;
	snprintf(x.why, sizeof(x.why), "no space");
	for (i = 0; !err && i + 1 < k->nr && !removed; i++) {
		struct keep_plan p = { .lock = -1 };

		err = plan_file(&x, x.order[i], &p);
		keep_remove(&p);
		removed = keep_removed(k, &p, told, ctx);
	}
	free(x.order);
	return err ? diag(d, err, "out of memory") : removed;
}
