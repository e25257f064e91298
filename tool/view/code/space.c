// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces over time, from records of mmap, fork and exec.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/util.h"
#include "view/code/space.h"

void spaces_init(struct spaces *s, struct objects *objects, struct blocks_file *f)
{
	*s = (struct spaces) { .objects = objects, .file = f };
	blocks_init(&s->order, f, sizeof(struct change_order));
	view_init(&s->parent, s);
}

void spaces_free(struct spaces *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		blocks_free(&s->list[i]->changes);
		free(s->list[i]);
	}
	free(s->list);
	blocks_free(&s->order);
	view_free(&s->parent);
	read_map_free(&s->by_pid);
}

int spaces_flush(struct spaces *s)
{
	int rc = blocks_flush(&s->order);
	size_t i;

	for (i = 0; i < s->nr && !rc; i++)
		rc = blocks_flush(&s->list[i]->changes);
	return rc;
}

const struct space *spaces_find(const struct spaces *s, __u32 pid)
{
	__u32 i;

	return read_map_get(&s->by_pid, pid, &i) ? s->list[i] : NULL;
}

/* Return the index of the space of a process, which is made if it is not known, or -ENOMEM. */
static ssize_t get(struct spaces *s, __u32 pid)
{
	struct space *new;
	__u32 i;

	if (read_map_get(&s->by_pid, pid, &i))
		return i;
	new = calloc(1, sizeof(*new));
	if (!new || grow((void **)&s->list, s->nr, sizeof(*s->list)) ||
	    read_map_set(&s->by_pid, pid, s->nr)) {
		free(new);
		return -ENOMEM;
	}
	new->pid = pid;
	blocks_init(&new->changes, s->file, sizeof(struct change));
	s->list[s->nr] = new;
	return s->nr++;
}

static int add(struct spaces *s, __u32 pid, const struct change *c)
{
	const ssize_t i = get(s, pid);
	struct change new = *c;
	int rc;

	if (i < 0)
		return i;
	/* view_move() stops at the first later change, so times must not decrease. */
	if (new.time < s->list[i]->last)
		new.time = s->list[i]->last;
	s->list[i]->last = new.time;
	rc = blocks_add(&s->list[i]->changes, &new);
	return rc ?: blocks_add(&s->order, &(struct change_order) { s->order.nr, i });
}

int spaces_map(struct spaces *s, __u32 pid, __u64 time, const struct mapping *m)
{
	return add(s, pid, &(struct change) { .time = time, .mapping = *m });
}

int spaces_exec(struct spaces *s, __u32 pid, __u64 time)
{
	return add(s, pid, &(struct change) { .time = time, .is_exec = true });
}

int spaces_fork(struct spaces *s, __u32 pid, __u32 parent, __u64 time)
{
	const struct space *from = spaces_find(s, parent), *old = spaces_find(s, pid);
	struct view *v = &s->parent;
	size_t i;
	int rc = 0;

	/* An earlier process may have had this pid. */
	if (old)
		rc = add(s, pid, &(struct change) { .time = time, .is_exec = true });
	if (rc || !from || from == old)
		return rc;
	/* The view of the last parent stays, so its next fork reads only the changes since then. */
	rc = view_move(v, from, ~0ULL);
	for (i = 0; i < v->nr && !rc; i++)
		rc = add(s, pid, &(struct change) { .time = time, .mapping = v->mappings[i] });
	return rc;
}

void view_init(struct view *v, const struct spaces *s)
{
	*v = (struct view) { .spaces = s, .until = ~0ULL };
}

void view_free(struct view *v)
{
	free(v->mappings);
	free(v->window.elements);
}

/* Return the index of the first mapping that ends behind @address. */
static size_t first_behind(const struct view *v, __u64 address)
{
	size_t low = 0, high = v->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (v->mappings[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int put(struct view *v, size_t at, const struct mapping *m)
{
	if (grow((void **)&v->mappings, v->nr, sizeof(*v->mappings)))
		return -ENOMEM;
	memmove(&v->mappings[at + 1], &v->mappings[at], (v->nr - at) * sizeof(*m));
	v->mappings[at] = *m;
	v->nr++;
	return 0;
}

static void cut_begin(struct mapping *m, __u64 start)
{
	m->offset += start - m->start;
	m->start = start;
}

/* Put a mapping in place of what is there. */
static int map(struct view *v, const struct mapping *m)
{
	size_t first = first_behind(v, m->start), last;
	struct mapping rest;

	if (m->end <= m->start)
		return 0;
	if (first < v->nr && v->mappings[first].start < m->start) {
		rest = v->mappings[first];
		v->mappings[first].end = m->start;
		first++;
		if (rest.end > m->end) {
			cut_begin(&rest, m->end);
			if (put(v, first, &rest))
				return -ENOMEM;
		}
	}
	for (last = first; last < v->nr && v->mappings[last].end <= m->end; last++)
		;
	if (last < v->nr && v->mappings[last].start < m->end)
		cut_begin(&v->mappings[last], m->end);
	if (last > first)
		memmove(&v->mappings[first], &v->mappings[last], (v->nr - last) * sizeof(*m));
	v->nr -= last - first;
	/* grow() must be called for each new element, even if there was room for more before. */
	return put(v, first, m);
}

static int start_again(struct view *v, const struct space *space)
{
	v->space = space;
	v->next = 0;
	v->time = 0;
	v->nr = 0;
	return v->changed ? v->changed(v, NULL) : 0;
}

static int apply(struct view *v, const struct change *c)
{
	const struct mapping m = c->mapping;
	int rc;

	v->time = c->time;
	v->next++;
	if (c->is_exec) {
		v->nr = 0;
		return v->changed ? v->changed(v, NULL) : 0;
	}
	rc = map(v, &m);
	return !rc && v->changed ? v->changed(v, &m) : rc;
}

int view_move(struct view *v, const struct space *space, __u64 time)
{
	const struct change *c;
	int rc = 0;

	if (space != v->space || (space && v->time > time))
		rc = start_again(v, space);
	v->until = ~0ULL;
	while (!rc && space && v->next < space->changes.nr) {
		c = blocks_get(&space->changes, &v->window, v->next);
		if (!c)
			return -EIO;
		v->until = c->time;
		if (c->time > time)
			break;
		rc = apply(v, c);
		v->until = ~0ULL;
	}
	return rc;
}

const struct mapping *view_find(const struct view *v, __u64 ip)
{
	const size_t i = first_behind(v, ip);

	return i < v->nr && v->mappings[i].start <= ip ? &v->mappings[i] : NULL;
}

struct function *view_function(const struct view *v, __u64 ip, __u64 *address)
{
	const struct mapping *m;

	if (is_kernel(ip)) {
		*address = ip;
		return object_function(v->spaces->objects->kernel, ip);
	}
	m = view_find(v, ip);
	if (!m)
		return NULL;
	*address = object_address(m->object, ip - m->start + m->offset);
	return object_function(m->object, *address);
}
