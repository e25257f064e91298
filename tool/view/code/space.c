// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces over time, from records of mmap, fork and exec.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/code/space.h"

void spaces_free(struct spaces *s)
{
	size_t i;

	for (i = 0; i < s->nr; i++) {
		free(s->list[i]->changes);
		free(s->list[i]);
	}
	free(s->list);
	read_map_free(&s->by_pid);
}

const struct space *spaces_find(const struct spaces *s, __u32 pid)
{
	__u32 i;

	return read_map_get(&s->by_pid, pid, &i) ? s->list[i] : NULL;
}

static struct space *get(struct spaces *s, __u32 pid)
{
	struct space *new;
	__u32 i;

	if (read_map_get(&s->by_pid, pid, &i))
		return s->list[i];
	new = calloc(1, sizeof(*new));
	if (!new || grow((void **)&s->list, s->nr, sizeof(*s->list)) ||
	    read_map_set(&s->by_pid, pid, s->nr)) {
		free(new);
		return NULL;
	}
	new->pid = pid;
	s->list[s->nr++] = new;
	return new;
}

static int add(struct space *space, const struct change *c)
{
	/* view_move() stops at the first later change, so times must not decrease. */
	const __u64 last = space->nr ? space->changes[space->nr - 1].time : 0;

	if (grow((void **)&space->changes, space->nr, sizeof(*space->changes)))
		return -ENOMEM;
	space->changes[space->nr] = *c;
	if (c->time < last)
		space->changes[space->nr].time = last;
	space->nr++;
	return 0;
}

int spaces_map(struct spaces *s, __u32 pid, __u64 time, const struct mapping *m)
{
	struct space *space = get(s, pid);

	return space ? add(space, &(struct change) { .time = time, .mapping = *m }) : -ENOMEM;
}

int spaces_exec(struct spaces *s, __u32 pid, __u64 time)
{
	struct space *space = get(s, pid);

	return space ? add(space, &(struct change) { .time = time, .is_exec = true }) : -ENOMEM;
}

int spaces_fork(struct spaces *s, __u32 pid, __u32 parent, __u64 time)
{
	struct space *space = get(s, pid);
	const struct space *from = spaces_find(s, parent);
	struct view v;
	size_t i;
	int rc;

	if (!space)
		return -ENOMEM;
	view_init(&v, s);
	rc = from && from != space ? view_move(&v, from, ~0ULL) : 0;
	/* An earlier process may have had this pid. */
	if (!rc && space->nr)
		rc = add(space, &(struct change) { .time = time, .is_exec = true });
	for (i = 0; i < v.nr && !rc; i++)
		rc = add(space, &(struct change) { .time = time, .mapping = v.mappings[i] });
	view_free(&v);
	return rc;
}

void view_init(struct view *v, const struct spaces *s)
{
	*v = (struct view) { .spaces = s };
}

void view_free(struct view *v)
{
	free(v->mappings);
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
	v->nr = 0;
	return v->changed ? v->changed(v, NULL) : 0;
}

int view_move(struct view *v, const struct space *space, __u64 time)
{
	const struct change *c;
	int rc = 0;

	if (space != v->space ||
	    (space && v->next && space->changes[v->next - 1].time > time))
		rc = start_again(v, space);
	while (!rc && space && v->next < space->nr && space->changes[v->next].time <= time) {
		c = &space->changes[v->next++];
		if (c->is_exec) {
			v->nr = 0;
			rc = v->changed ? v->changed(v, NULL) : 0;
			continue;
		}
		rc = map(v, &c->mapping);
		if (!rc && v->changed)
			rc = v->changed(v, &c->mapping);
	}
	return rc;
}

__u64 view_until(const struct view *v)
{
	return v->space && v->next < v->space->nr ? v->space->changes[v->next].time : ~0ULL;
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
