// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what page_new() returns and leaves behind if it is told something wrong, if the disk is
 * full, and if the output ends early; and of the memory that it takes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "view/page/page.h"
#include "view/timeline/timeline.h"
#include "../../tap.h"
#include "../flight/wrap.h"

static const char *dir;
static char path[64];

static struct timeline *with_lane_and_name(const char *file)
{
	const struct tl_lane lane = { .kind = TL_LANE_THREAD, .pid = 1, .tid = 1, .name = "t" };
	const struct tl_name name = { .function = "f", .object = "o" };
	struct timeline *t = page_new(file, "test");

	if (!t || t->ops->lane(t, 0, &lane) || t->ops->name(t, 0, &name)) {
		perror(file);
		exit(1);
	}
	return t;
}

static off_t size_of(const char *file)
{
	struct stat st;

	return stat(file, &st) ? -1 : st.st_size;
}

/* Each of these functions gives an error for something that no source may tell. */
static int no_leave(struct timeline *t)
{
	return t->ops->leave(t, 0, 10, 0);
}

static int no_lane(struct timeline *t)
{
	return t->ops->enter(t, 1, 10, 0, 0);
}

static int no_name(struct timeline *t)
{
	return t->ops->enter(t, 0, 10, 1, 0);
}

static int no_name_in_stack(struct timeline *t)
{
	const __u32 names[] = { 0, 7 };

	return t->ops->stack(t, 0, 10, names, 2, 1);
}

static int back_in_time(struct timeline *t)
{
	return t->ops->enter(t, 0, 10, 0, 0) ? 0 : t->ops->leave(t, 0, 9, 0);
}

static int back_in_time_of_points(struct timeline *t)
{
	const struct tl_point later = { .time = 5, .what = "x" }, before = { .what = "x" };

	return t->ops->point(t, 0, &later) ? 0 : t->ops->point(t, 0, &before);
}

static int lane_left_out(struct timeline *t)
{
	const struct tl_lane lane = { .name = "t" };

	return t->ops->lane(t, 2, &lane);
}

static int name_twice(struct timeline *t)
{
	const struct tl_name name = { .function = "f", .object = "o" };

	return t->ops->name(t, 0, &name);
}

static int mark_ends_before(struct timeline *t)
{
	const struct tl_mark mark = { .kind = TL_MARK_GAP, .begin = 2, .end = 1 };

	return t->ops->mark(t, 0, &mark);
}

static int mark_of_no_kind(struct timeline *t)
{
	const struct tl_mark mark = { .kind = TL_MARK_RAW + 1 };

	return t->ops->mark(t, 0, &mark);
}

static const struct {
	const char	*name;
	int		(*tell)(struct timeline *t);
} wrong[] = {
	{ "leave() without enter()", no_leave },
	{ "a lane that does not exist", no_lane },
	{ "a name that does not exist", no_name },
	{ "a name in a stack that does not exist", no_name_in_stack },
	{ "a time that is earlier", back_in_time },
	{ "a point that is earlier", back_in_time_of_points },
	{ "a lane's number is left out", lane_left_out },
	{ "a name is told twice", name_twice },
	{ "a mark ends before it begins", mark_ends_before },
	{ "a mark of no kind", mark_of_no_kind },
};

static void test_wrong(void)
{
	struct timeline *t;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		t = with_lane_and_name(path);
		err = wrong[i].tell(t);
		t->ops->free(t);
		tap_report(err == -EINVAL && size_of(path) < 0, "%s is an error", wrong[i].name);
	}
}

/* The page replaces a file of its name only when the page is complete. */
static void test_early(void)
{
	FILE *before = fopen(path, "w");
	struct timeline *t;

	if (!before || fputs("before", before) < 0 || fclose(before))
		exit(1);
	t = with_lane_and_name(path);
	t->ops->free(t);
	tap_report(size_of(path) == 6, "an output that ends early leaves the file as it was");
	t = with_lane_and_name(path);
	tap_report(!t->ops->end(t) && size_of(path) > 1000, "end() replaces the file");
	t->ops->free(t);
	unlink(path);
	tap_report(!rmdir(dir) && !mkdir(dir, 0700), "no other file stays behind");
}

static void test_full(void)
{
	struct timeline *t = with_lane_and_name("/dev/full");
	int err = t->ops->end(t);

	t->ops->free(t);
	tap_report(err == -ENOSPC, "a full disk is an error of end()");
	errno = 0;
	tap_report(!page_new("/nonexistent/page.html", "x") && errno == ENOENT,
		   "a folder that does not exist is an error of page_new()");
}

static bool close_fails;
static unsigned int closes;

/* The disk is full when the last data is written. A file that was closed is gone in any case. */
int __wrap_fclose(FILE *file)
{
	if (!close_fails)
		return __real_fclose(file);
	if (!closes++)
		__real_fclose(file);
	errno = ENOSPC;
	return EOF;
}

static void test_close(void)
{
	struct timeline *t = with_lane_and_name(path);
	int err;

	close_fails = true;
	err = t->ops->end(t);
	t->ops->free(t);
	close_fails = false;
	tap_report(err == -ENOSPC && size_of(path) < 0, "an error of fclose() is an error of end()");
	tap_report(closes == 1, "the file is closed once");
}

static void test_mode(void)
{
	struct timeline *t;
	struct stat st = { 0 };
	mode_t mask;
	int err;

	mask = umask(027);
	t = with_lane_and_name(path);
	err = t->ops->end(t);
	t->ops->free(t);
	umask(mask);
	tap_report(!err && !stat(path, &st) && (st.st_mode & 0777) == 0640,
		   "the umask decides who may read the page");
	unlink(path);
}

#define MOST_MIB	512

/*
 * Many lanes with incomplete chunks, and many events. Without the limit PAGE_PENDING, this takes
 * more than 800 MiB.
 */
static void test_memory(void)
{
	const unsigned int lanes = 3000, rounds = 4000;
	struct timeline *t = with_lane_and_name(path);
	struct tl_lane lane = { .kind = TL_LANE_THREAD, .pid = 1, .name = "t" };
	unsigned int i, k;
	struct rusage use;
	int err = 0;

	for (i = 1; i < lanes && !err; i++) {
		lane.tid = i + 1;
		err = t->ops->lane(t, i, &lane);
	}
	for (k = 0; k < rounds && !err; k++) {
		for (i = 0; i < lanes && !err; i++) {
			err = t->ops->enter(t, i, k * 100, 0, 0);
			if (!err)
				err = t->ops->leave(t, i, k * 100 + 50, 0);
		}
	}
	getrusage(RUSAGE_SELF, &use);
	t->ops->free(t);
	printf("# %u million calls in %u lanes: %ld MiB\n", lanes * rounds / 1000000, lanes,
	       use.ru_maxrss / 1024);
	tap_report(!err && use.ru_maxrss < MOST_MIB * 1024,
		   "memory is limited, also with many lanes");
}

int main(void)
{
	char template[] = "/tmp/page-output.XXXXXX";

	dir = mkdtemp(template);
	if (!dir) {
		perror(template);
		return 1;
	}
	snprintf(path, sizeof(path), "%s/page.html", dir);
	test_wrong();
	test_early();
	test_full();
	test_close();
	test_mode();
	test_memory();
	rmdir(dir);
	return tap_end();
}
