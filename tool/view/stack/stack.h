/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stack of a thread, rebuilt from its flow.
 *
 * A call adds a frame with the address behind the call. A return goes to such an address, and
 * leaves all frames above the one that has it: these ended by longjmp(), or by an exception. A jump
 * to a function's first instruction is a tail call: the function takes the frame, and returns in
 * its place. A jump into the middle of a function that is on the stack is a longjmp(). A signal
 * handler begins where tracing begins again at a function's first instruction, and its frame has
 * the address where the program was interrupted.
 *
 * If a return goes to an address that no frame has, the thread has other stacks (coroutines): its
 * frames are put aside, and come back when a return or a jump goes to their newest one.
 */
#ifndef VIEW_STACK_H
#define VIEW_STACK_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#include "view/decode/flow.h"
#include "view/stack/names.h"
#include "view/timeline/timeline.h"

struct frame {
	struct function *function;	/* NULL: nothing is mapped there */
	__u64	back;			/* where its return goes to; 0: not known */
	bool	is_interrupt;		/* the kernel called it, and not the frame below */
};

struct frames {
	struct frame *list;
	size_t	nr;
};

/*
 * Frames of a stack. If there are more, the thread has probably left frames in a way that its flow
 * does not show: a stack of 8 MiB, the usual limit, does not have more frames of 16 bytes, and a
 * frame is larger. The stack then begins anew.
 */
#define STACK_MOST	(1 << 19)

/* Stacks that a thread can have put aside; the oldest ones are forgotten. */
#define STACK_ASIDE	32

struct stack {
	struct names *names;
	__u32	lane;
	__u64	time;		/* the last time in the lane */
	struct frames now;
	size_t	told;		/* frames that the time line has */
	bool	from_start;	/* the program begins: the first frame has no unknown callers */
	bool	off;		/* tracing has ended */
	__u64	resume;		/* if off: where the program goes on; 0: not known */
	struct frames *aside;	/* STACK_ASIDE of them, the oldest one first; NULL: none yet */
	size_t	nr_aside;
};

void stack_init(struct stack *s, struct names *names, __u32 lane);
void stack_free(struct stack *s);

/* All of these return 0 or -errno. */
int stack_take(struct stack *s, const struct flow *f);
/*
 * All frames end at @time, and the stack needs no memory until new ones begin. @flags: TL_CUT, or 0
 */
int stack_end(struct stack *s, __u64 time, unsigned int flags);
/* The program begins anew. */
int stack_exec(struct stack *s, __u64 time);
/* A child of fork() has the frames of its parent. */
int stack_fork(struct stack *child, const struct stack *parent);

/* Return @time, or the lane's last time if that is later, and remember it. */
__u64 stack_time(struct stack *s, __u64 time);

#endif /* VIEW_STACK_H */
