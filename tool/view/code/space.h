/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mappings of each process at each time.
 *
 * Records of mmap, fork and exec are added in order of time. Afterwards, any number of views can
 * look at the spaces, each at a time of its own, in several threads.
 */
#ifndef VIEW_SPACE_H
#define VIEW_SPACE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/hash_map.h"
#include "view/code/object.h"
#include "view/temporary/blocks.h"

struct mapping {
	__u64	start;
	__u64	end;
	__u64	offset;		/* of @start in the object's file */
	struct object *object;
};

struct change {
	__u64	time;		/* the key in the list */
	bool	is_exec;	/* all mappings go away, and @mapping is not valid */
	struct mapping mapping;
};

/* The address space of a process */
struct space {
	__u32	pid;
	__u64	last;		/* time of the last change */
	struct blocks changes;
};

/* A space as it was at one time, see below */
struct view {
	const struct spaces *spaces;
	const struct space *space;
	size_t	next;		/* change */
	__u64	time;		/* of the change before it */
	__u64	until;		/* time of the next change; ~0: there is none */
	struct blocks_window window;
	struct mapping *mappings;	/* sorted, and they do not overlap */
	size_t	nr;
	int (*changed)(struct view *v, const struct mapping *m);
	void	*context;
};

/*
 * Changes are in a file, so their number does not need memory. There is one space for each pid, and
 * the kernel uses pids again: the number of spaces is limited.
 */
struct spaces {
	struct objects *objects;
	struct blocks_file *file;
	struct space **list;
	size_t	nr;
	struct read_map by_pid;
	struct blocks order;	/* of the changes of all spaces: struct change_order */
	struct view parent;	/* of the last fork, at the time of its newest change */
};

struct change_order {
	__u64	number;		/* the key in the list */
	__u64	space;		/* index */
};

void spaces_init(struct spaces *s, struct objects *objects, struct blocks_file *f);
void spaces_free(struct spaces *s);

/* All of these return 0 or -errno. */
int spaces_map(struct spaces *s, __u32 pid, __u64 time, const struct mapping *m);
int spaces_exec(struct spaces *s, __u32 pid, __u64 time);
int spaces_fork(struct spaces *s, __u32 pid, __u32 parent, __u64 time);
/* Write the changes that are not in the file yet, to free memory. */
int spaces_flush(struct spaces *s);

/* Return the space of a process, or NULL. */
const struct space *spaces_find(const struct spaces *s, __u32 pid);

void view_init(struct view *v, const struct spaces *s);
void view_free(struct view *v);

/*
 * Move the view to a space, which can be NULL, and a time. If @changed is not NULL, call it for
 * each mapping that is added on the way. The mapping is NULL if all mappings go away: at an exec,
 * and when the view moves to an earlier time or to another space, for which it starts again. Return
 * 0, an error of @changed, or -errno.
 */
int view_move(struct view *v, const struct space *space, __u64 time);

/* Return what is mapped at an address, or NULL. Kernel addresses are not in the views. */
const struct mapping *view_find(const struct view *v, __u64 ip);

/* Is this an address of the kernel? */
static inline bool is_kernel(__u64 ip)
{
	return ip >> 63;
}

/* Return the function at an address of the space or of the kernel, or NULL if nothing is there. */
struct function *view_function(const struct view *v, __u64 ip, __u64 *address);

#endif /* VIEW_SPACE_H */
