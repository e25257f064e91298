// SPDX-License-Identifier: GPL-2.0-only
/* Calls that make, change, write and read mappings of rings. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static void window_is(unsigned int w, enum mapping what, uint64_t size, unsigned int ring)
{
	windows[w].what = MAPPED_NOTHING;
	windows[w].size = size;
	windows[w].ring = ring;
	windows[w].what = what;
}

static int check_mmap(struct caller *c, enum kind is)
{
	int error = errno;

	/*
	 * EPERM and ENODEV come from the kernel's mmap(), EACCES also from the mode of the
	 * descriptor.
	 */
	if (is == KIND_RING && error != EINVAL && error != EACCES && error != EPERM &&
	    error != EBADF && error != ENOMEM && error != EOVERFLOW &&
	    !(opt.threads > 1 && error == ENODEV))
		unexpected(c, "mmap: errno %d (%s)", error, strerror(error));
	return -error;
}

/* Map a ring or its marks correctly. */
static int op_map(struct caller *c)
{
	unsigned int w = below(c, WINDOWS), i = slot_of(c, KIND_RING);
	struct slot *ring = &slots[KIND_RING][i];
	bool marks = one_in(c, 2);
	uint64_t size = marks ? ring->marks_size : ring->ring_size;
	int prot = marks ? PROT_READ | PROT_WRITE : PROT_READ;
	void *at;

	if (size > WINDOW_SIZE)
		return -ENOMEM;
	at = mmap(window_at(w), size, prot, MAP_SHARED | MAP_FIXED, ring->fd,
		  marks ? 0 : ring->marks_size);
	window_is(w, at == MAP_FAILED ? MAPPED_NOTHING : marks ? MAPPED_MARKS : MAPPED_RING,
		  size, i);
	return at == MAP_FAILED ? check_mmap(c, KIND_RING) : 0;
}

static int op_map_wrong(struct caller *c)
{
	static const int flags[] = {
		MAP_SHARED, MAP_SHARED, MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE,
		MAP_SHARED | MAP_POPULATE, MAP_SHARED | MAP_LOCKED,
		MAP_SHARED_VALIDATE | MAP_SYNC, MAP_SHARED | MAP_GROWSDOWN,
	};
	unsigned int w = below(c, WINDOWS), i = slot_of(c, KIND_RING);
	const struct slot *ring = &slots[KIND_RING][i];
	uint64_t sizes[] = { ring->marks_size, ring->ring_size, PAGE, some_value(c) };
	uint64_t offsets[] = { 0, ring->marks_size, ring->ring_size, some_value(c) };
	uint64_t size = sizes[below(c, 4)], offset = offsets[below(c, 4)];
	int how = flags[below(c, ARRAY_SIZE(flags))];
	int prot = below(c, 8);
	enum kind is = KIND_RING;
	int fd = one_in(c, 8) ? some_fd(c, KIND_RING, &is) : ring->fd;
	void *at;

	if (one_in(c, 4))
		size += (below(c, 3) - 1) * PAGE;
	if (one_in(c, 4))
		offset += (below(c, 3) - 1) * PAGE;
	if (size > WINDOW_SIZE)
		size = WINDOW_SIZE;
	at = mmap(window_at(w), size, prot, how | MAP_FIXED, fd, offset);
	window_is(w, at == MAP_FAILED ? MAPPED_NOTHING : MAPPED_RING, size, i);
	if (at != MAP_FAILED)
		return 0;
	/* The kernel's mmap() refuses these, with other errors. */
	if (how & ~(MAP_SHARED | MAP_PRIVATE) || offset % PAGE || !size)
		return -errno;
	return check_mmap(c, is);
}

/* Map a file whose build-id is too long for a record. Sessions get a notice of the build-id. */
static int op_map_elf(struct caller *c)
{
	unsigned int w = below(c, WINDOWS);
	void *at = mmap(window_at(w), PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
			elf_with_long_id(), 0);

	window_is(w, MAPPED_NOTHING, PAGE, 0);
	return at == MAP_FAILED ? -errno : 0;
}

static int op_unmap(struct caller *c)
{
	unsigned int w = below(c, WINDOWS);
	size_t from = 0, size = WINDOW_SIZE;

	if (one_in(c, 2)) {
		from = below(c, 8) * PAGE;
		size = (1 + below(c, 16)) * PAGE;
	} else {
		windows[w].what = MAPPED_NOTHING;
	}
	return munmap((uint8_t *)window_at(w) + from, size) ? -errno : 0;
}

static int op_protect(struct caller *c)
{
	static const int prots[] = {
		PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE, PROT_EXEC, PROT_READ | PROT_EXEC,
		PROT_READ | PROT_WRITE, PROT_READ | PROT_GROWSDOWN, PROT_WRITE,
	};
	unsigned int w = below(c, WINDOWS);
	size_t from = one_in(c, 2) ? 0 : below(c, 8) * PAGE;
	size_t size = one_in(c, 2) ? windows[w].size : below(c, 16) * PAGE;

	return mprotect((uint8_t *)window_at(w) + from, size,
			prots[below(c, ARRAY_SIZE(prots))]) ? -errno : 0;
}

/* Resize a mapping, move it, or map it twice, within the windows. */
static int op_remap(struct caller *c)
{
	unsigned int w = below(c, WINDOWS), to = below(c, WINDOWS);
	size_t old = windows[w].size, size = old;
	int flags = 0;
	void *at;

	switch (below(c, 6)) {
	case 0:
		size = old / 2;
		break;
	case 1:
		size = old * 2;
		break;
	case 2:
		old = 0;
		break;
	case 3:
		flags = MREMAP_DONTUNMAP;
		break;
	}
	if (size > WINDOW_SIZE || old > WINDOW_SIZE)
		return -ENOMEM;
	if (to != w)
		flags |= MREMAP_MAYMOVE | MREMAP_FIXED;
	at = mremap(window_at(w), old, size, flags, window_at(to));
	if (at == MAP_FAILED)
		return -errno;
	window_is(to, windows[w].what, size, windows[w].ring);
	if (to != w && !(flags & MREMAP_DONTUNMAP) && old)
		windows[w].what = MAPPED_NOTHING;
	return 0;
}

static int op_advise(struct caller *c)
{
	static const int advice[] = {
		MADV_DONTNEED, MADV_DONTFORK, MADV_DOFORK, MADV_FREE, MADV_REMOVE, MADV_COLD,
		MADV_PAGEOUT, MADV_WILLNEED, MADV_MERGEABLE, MADV_HUGEPAGE, MADV_DODUMP,
		MADV_WIPEONFORK, MADV_POPULATE_READ, MADV_POPULATE_WRITE,
	};
	unsigned int w = below(c, WINDOWS);
	size_t size = one_in(c, 2) ? windows[w].size : below(c, 16) * PAGE;
	int how = advice[below(c, ARRAY_SIZE(advice))];

	return madvise(window_at(w), size, how) ? -errno : 0;
}

static int op_other_calls(struct caller *c)
{
	unsigned int w = below(c, WINDOWS);
	size_t size = windows[w].size;
	uint8_t buf[256];
	struct iovec local = { buf, sizeof(buf) };
	struct iovec remote = { window_at(w), sizeof(buf) };

	switch (below(c, 5)) {
	case 0:
		return msync(window_at(w), size, below(c, 8)) ? -errno : 0;
	case 1:
		return mlock(window_at(w), size) ? -errno : 0;
	case 2:
		return munlock(window_at(w), size) ? -errno : 0;
	case 3:
		return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) < 0 ? -errno : 0;
	default:
		return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0 ? -errno : 0;
	}
}

/* Return the segment table of a window that shows a ring, or NULL. */
static const struct perfaux_segment *segments_in(unsigned int w)
{
	const struct perfaux_control *ctl = window_at(w);
	uint64_t offset = *(const volatile __u64 *)&ctl->segments_offset;

	return offset > WINDOW_SIZE / 2 ? NULL :
	       (const void *)((const uint8_t *)ctl + offset);
}

/* Return a mark that is probably right: the number that the segment has in a mapped table. */
static uint64_t plausible(struct caller *c, unsigned int ring, unsigned int segment)
{
	unsigned int i, first = below(c, WINDOWS);

	for (i = 0; i < WINDOWS; i++) {
		unsigned int w = (first + i) % WINDOWS;
		const struct perfaux_segment *segments;

		if (windows[w].what != MAPPED_RING || windows[w].ring != ring)
			continue;
		segments = segments_in(w);
		if (!segments)
			break;
		return PERFAUX_SEQ(*(const volatile __u64 *)&segments[segment].state);
	}
	return 1 + below(c, 64);
}

static bool find_held(unsigned int w, struct perfaux_unhold *arg)
{
	const struct perfaux_segment *segments = segments_in(w);
	unsigned int i;

	for (i = 0; segments && i < 16 && i < slots[KIND_RING][windows[w].ring].nr_segments;
	     i++) {
		uint64_t state = *(const volatile __u64 *)&segments[i].state;

		if (PERFAUX_STATE(state) != PERFAUX_SEG_HELD)
			continue;
		arg->segment = i;
		arg->seq = PERFAUX_SEQ(state);
		return true;
	}
	return false;
}

static bool is_held(struct caller *c, unsigned int w, struct perfaux_unhold *arg)
{
	volatile bool found = false;

	if (!faults(c))
		found = find_held(w, arg);
	c->may_fault = false;
	return found;
}

int held_segment(struct caller *c, struct perfaux_unhold *arg)
{
	unsigned int i, first = below(c, WINDOWS);

	for (i = 0; i < WINDOWS; i++) {
		unsigned int w = (first + i) % WINDOWS;

		if (windows[w].what == MAPPED_RING && is_held(c, w, arg))
			return slot_fd(KIND_RING, windows[w].ring);
	}
	return -1;
}

static void marks_fill(struct caller *c, unsigned int w)
{
	volatile uint64_t *marks = window_at(w);
	uint32_t what = windows[w].what, n = 1 + below(c, 8);
	/* In a main ring, write to the control page only. */
	uint64_t words = (what == MAPPED_EVENT ? PAGE : windows[w].size) / 8;

	while (words && n--) {
		uint32_t i = (one_in(c, 2) ? below(c, 16) : draw(c)) % words;

		if (what == MAPPED_MARKS && !one_in(c, 3))
			marks[i] = i < 16 ? plausible(c, windows[w].ring, i) : below(c, 64);
		else
			marks[i] = some_value(c);
	}
}

void marks_write(struct caller *c, unsigned int w)
{
	if (!faults(c))
		marks_fill(c, w);
	c->may_fault = false;
}

void hammer_once(struct caller *c)
{
	unsigned int w = below(c, WINDOWS);
	int what = windows[w].what;

	if (what == MAPPED_MARKS || what == MAPPED_EVENT)
		marks_write(c, w);
}

/* Return mostly a window in which something is mapped. */
static unsigned int some_window(struct caller *c)
{
	unsigned int first = below(c, WINDOWS), i;
	bool any = one_in(c, 16);

	for (i = 0; i < WINDOWS; i++)
		if (any || windows[(first + i) % WINDOWS].what != MAPPED_NOTHING)
			break;
	return (first + i) % WINDOWS;
}

static int op_marks(struct caller *c)
{
	marks_write(c, some_window(c));
	return 0;
}

static int op_touch(struct caller *c)
{
	unsigned int w = some_window(c);
	const volatile uint8_t *at = window_at(w);
	uint64_t size = windows[w].size, i;

	if (!faults(c)) {
		for (i = 0; i < 8 && size; i++)
			(void)at[draw(c) % size];
		c->may_fault = false;
		return 0;
	}
	c->may_fault = false;
	return -EFAULT;
}

const struct op ops_memory[] = {
	{ .name = "mmap", .fn = op_map, .weight = 60, .works = 20 },
	{ .name = "mmap_wrong", .fn = op_map_wrong, .weight = 50 },
	{ .name = "map_elf", .fn = op_map_elf, .weight = 60, .works = 50 },
	{ .name = "munmap", .fn = op_unmap, .weight = 15, .works = 50 },
	{ .name = "mprotect", .fn = op_protect, .weight = 100, .works = 5 },
	{ .name = "mremap", .fn = op_remap, .weight = 40, .works = 5 },
	{ .name = "madvise", .fn = op_advise, .weight = 50 },
	{ .name = "memory", .fn = op_other_calls, .weight = 50 },
	{ .name = "marks", .fn = op_marks, .weight = 500 },
	{ .name = "touch", .fn = op_touch, .weight = 300 },
	{ .name = NULL },
};
