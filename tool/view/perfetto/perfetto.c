// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a time line as a trace of Perfetto.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/disk.h"
#include "base/hash.h"
#include "base/util.h"
#include "view/perfetto/parts.h"

#define BUFFER_SIZE	(1U << 20)

static struct perfetto *to_perfetto(struct timeline *t)
{
	return (struct perfetto *)t;
}

static void see_time(struct perfetto *t, __u32 lane, __u64 time)
{
	if (time > t->lanes[lane].last)
		t->lanes[lane].last = time;
}

static int add_lane(struct timeline *timeline, __u32 lane, const struct tl_lane *desc)
{
	struct perfetto *t = to_perfetto(timeline);

	if (lane != t->nr_lanes)
		return -EINVAL;
	if (grow((void **)&t->lanes, t->nr_lanes, sizeof(*t->lanes)))
		return -ENOMEM;
	t->lanes[t->nr_lanes++] = (struct perfetto_lane){
		.kind = desc->kind, .pid = desc->pid, .tid = desc->tid,
	};
	return perfetto_add_lane(t, lane, desc);
}

static bool is_same(const void *elements, __u32 value, const void *key)
{
	char *const *objects = elements;

	return !strcmp(objects[value], key);
}

/* Intern an object, unless that was done. Return its number; 0: there is no memory. */
static __u32 intern_object(struct perfetto *t, const char *path)
{
	__u64 hash = hash_string(path);
	__u32 known;
	size_t mapping;

	if (read_map_find(&t->object_map, &hash, is_same, t->objects, path, &known))
		return known + 1;
	if (grow((void **)&t->objects, t->nr_objects, sizeof(*t->objects)) ||
	    read_map_set(&t->object_map, hash, t->nr_objects))
		return 0;
	t->objects[t->nr_objects] = strdup(path);
	if (!t->objects[t->nr_objects])
		return 0;
	known = ++t->nr_objects;
	perfetto_intern(t, INTERNED_CATEGORY, known, path);
	perfetto_intern(t, INTERNED_PATH, known, path);
	mapping = proto_begin(&t->packet, INTERNED_MAPPING);
	proto_number(&t->packet, ENTRY_NUMBER, known);
	proto_number(&t->packet, MAPPING_PATH, known);
	proto_end(&t->packet, mapping);
	return known;
}

static int add_name(struct timeline *timeline, __u32 name, const struct tl_name *desc)
{
	struct perfetto *t = to_perfetto(timeline);
	const __u64 number = name + 1ULL;
	size_t data, frame;
	__u32 object;

	if (name != t->nr_names)
		return -EINVAL;
	if (grow((void **)&t->objects_of, t->nr_names, sizeof(*t->objects_of)))
		return -ENOMEM;
	perfetto_packet(t);
	data = proto_begin(&t->packet, PACKET_INTERNED);
	object = intern_object(t, desc->object ?: "");
	if (!object)
		return -ENOMEM;
	t->objects_of[t->nr_names++] = object;
	perfetto_intern(t, INTERNED_EVENT_NAME, number, desc->function);
	perfetto_intern(t, INTERNED_FUNCTION, number, desc->function);
	frame = proto_begin(&t->packet, INTERNED_FRAME);
	proto_number(&t->packet, ENTRY_NUMBER, number);
	proto_number(&t->packet, FRAME_FUNCTION, number);
	proto_number(&t->packet, FRAME_MAPPING, object);
	proto_number(&t->packet, FRAME_ADDRESS, desc->address);
	proto_end(&t->packet, frame);
	proto_end(&t->packet, data);
	return perfetto_write(t);
}

static int enter(struct timeline *timeline, __u32 lane, __u64 time, __u32 name,
		 unsigned int flags)
{
	struct perfetto *t = to_perfetto(timeline);
	size_t event;

	if (lane >= t->nr_lanes || name >= t->nr_names)
		return -EINVAL;
	see_time(t, lane, time);
	t->lanes[lane].depth++;
	event = perfetto_event(t, time, EVENT_SLICE_BEGIN, perfetto_track(lane));
	proto_number(&t->packet, EVENT_NAME_NUMBER, name + 1ULL);
	proto_number(&t->packet, EVENT_CATEGORY, t->objects_of[name]);
	if (flags & TL_BEGAN_EARLIER)
		perfetto_flag(t, ARG_BEGAN_EARLIER);
	return perfetto_event_end(t, event);
}

static int leave(struct timeline *timeline, __u32 lane, __u64 time, unsigned int flags)
{
	struct perfetto *t = to_perfetto(timeline);
	size_t event;

	if (lane >= t->nr_lanes || !t->lanes[lane].depth)
		return -EINVAL;
	see_time(t, lane, time);
	t->lanes[lane].depth--;
	event = perfetto_event(t, time, EVENT_SLICE_END, perfetto_track(lane));
	if (flags & TL_CUT)
		perfetto_flag(t, ARG_CUT);
	return perfetto_event_end(t, event);
}

static int add_stack(struct timeline *timeline, __u32 lane, __u64 time, const __u32 *names,
		     unsigned int nr, __u64 weight)
{
	struct perfetto *t = to_perfetto(timeline);
	unsigned int i;

	if (lane >= t->nr_lanes || !nr)
		return -EINVAL;
	for (i = 0; i < nr; i++)
		if (names[i] >= t->nr_names)
			return -EINVAL;
	see_time(t, lane, time);
	return perfetto_sample(t, lane, time, names, nr, weight);
}

static int add_mark(struct timeline *timeline, __u32 lane, const struct tl_mark *mark)
{
	struct perfetto *t = to_perfetto(timeline);

	if (lane >= t->nr_lanes)
		return -EINVAL;
	see_time(t, lane, mark->begin);
	see_time(t, lane, mark->end);
	return perfetto_mark(t, lane, mark);
}

static int add_point(struct timeline *timeline, __u32 lane, const struct tl_point *point)
{
	struct perfetto *t = to_perfetto(timeline);
	size_t event;
	__u64 track;
	int err;

	if (lane >= t->nr_lanes)
		return -EINVAL;
	see_time(t, lane, point->time);
	err = perfetto_add_counter(t, lane, point->what, &track);
	if (err)
		return err;
	event = perfetto_event(t, point->time, EVENT_COUNTER, track);
	proto_double(&t->packet, EVENT_VALUE, point->value);
	return perfetto_event_end(t, event);
}

static int close_file(struct perfetto *t)
{
	FILE *file = t->file;
	int err = 0;

	t->file = NULL;
	errno = 0;
	if (fflush(file) || ferror(file))
		err = errno ? -errno : -EIO;
	if (!err && t->path)
		err = disk_data(fileno(file));
	if (fclose(file) && !err)
		err = -errno;
	return err;
}

static int end(struct timeline *timeline)
{
	struct perfetto *t = to_perfetto(timeline);
	__u32 lane;
	int err = 0;

	for (lane = 0; !err && lane < t->nr_lanes; lane++)
		while (!err && t->lanes[lane].depth)
			err = leave(timeline, lane, t->lanes[lane].last, TL_CUT);
	if (!err)
		err = close_file(t);
	if (!err && t->path && rename(t->tmp, t->path))
		err = -errno;
	if (err)
		return err;
	free(t->tmp);
	t->tmp = NULL;
	return 0;
}

static void free_all(struct timeline *timeline)
{
	struct perfetto *t = to_perfetto(timeline);
	size_t i;

	if (t->file)
		fclose(t->file);
	if (t->tmp)
		unlink(t->tmp);
	for (i = 0; i < t->nr_objects; i++)
		free(t->objects[i]);
	for (i = 0; i < t->nr_counters; i++)
		free(t->counters[i].what);
	perfetto_free_stacks(t);
	read_map_free(&t->object_map);
	read_map_free(&t->counter_map);
	proto_free(&t->packet);
	free(t->objects);
	free(t->objects_of);
	free(t->counters);
	free(t->lanes);
	free(t->title);
	free(t->path);
	free(t->tmp);
	free(t);
}

static const struct timeline_ops ops = {
	.lane = add_lane,
	.name = add_name,
	.enter = enter,
	.leave = leave,
	.stack = add_stack,
	.mark = add_mark,
	.point = add_point,
	.end = end,
	.free = free_all,
};

/* A pipe or a device is no regular file and is not replaced. */
static bool is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int open_file(struct perfetto *t, const char *path)
{
	int fd;

	if (!strcmp(path, "-")) {
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	} else if (is_special(path)) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else {
		t->path = strdup(path);
		if (!t->path || asprintf(&t->tmp, "%s.XXXXXX", path) < 0) {
			t->tmp = NULL;
			return -ENOMEM;
		}
		fd = mkostemp(t->tmp, O_CLOEXEC);
		if (fd < 0) {
			const int err = -errno;

			free(t->tmp);
			t->tmp = NULL;
			return err;
		}
	}
	if (fd < 0)
		return -errno;
	t->file = fdopen(fd, "w");
	if (!t->file) {
		close(fd);
		return -ENOMEM;
	}
	setvbuf(t->file, NULL, _IOFBF, BUFFER_SIZE);
	return 0;
}

struct timeline *perfetto_new(const char *path, const char *title)
{
	struct perfetto *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return NULL;
	t->timeline.ops = &ops;
	t->title = strdup(title ?: "");
	t->timeline.title = t->title;
	err = t->title ? open_file(t, path) : -ENOMEM;
	if (!err)
		err = perfetto_first_packet(t);
	if (!err)
		return &t->timeline;
	free_all(&t->timeline);
	errno = -err;
	return NULL;
}
