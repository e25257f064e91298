// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rebuild the call stack of a thread, see stack.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/code/space.h"
#include "view/stack/stack.h"

#define NOT_FOUND	(~(size_t)0)

void stack_init(struct stack *s, struct names *names, __u32 lane)
{
	*s = (struct stack) { .names = names, .lane = lane };
}

void stack_free(struct stack *s)
{
	size_t i;

	for (i = 0; i < s->nr_aside; i++)
		free(s->aside[i].list);
	free(s->aside);
	free(s->now.list);
}

__u64 stack_time(struct stack *s, __u64 time)
{
	if (time > s->time)
		s->time = time;
	return s->time;
}

/* Tell the time line of the frames that it does not know. Only the newest one begins now. */
static int tell(struct stack *s, __u64 time, unsigned int flags)
{
	struct timeline *out = s->names->out;
	__u32 name;
	int rc = 0;

	while (!rc && s->told < s->now.nr) {
		const bool is_last = s->told + 1 == s->now.nr;

		rc = names_find(s->names, s->now.list[s->told].function, &name);
		if (!rc)
			rc = out->ops->enter(out, s->lane, stack_time(s, time), name,
					     is_last ? flags : TL_BEGAN_EARLIER);
		s->told++;
	}
	return rc;
}

static int enter(struct stack *s, const struct flow *f, const struct frame *frame,
		 unsigned int flags)
{
	const int rc = s->now.nr < STACK_MOST ? 0 : stack_end(s, f->time, TL_CUT);

	if (rc)
		return rc;
	if (grow((void **)&s->now.list, s->now.nr, sizeof(*s->now.list)))
		return -ENOMEM;
	s->now.list[s->now.nr++] = *frame;
	return tell(s, f->time, flags);
}

static int leave(struct stack *s, size_t nr, __u64 time, unsigned int flags)
{
	struct timeline *out = s->names->out;
	int rc = 0;

	while (s->told > nr && !rc) {
		rc = out->ops->leave(out, s->lane, stack_time(s, time), flags);
		s->told--;
	}
	if (s->now.nr > nr)
		s->now.nr = nr;
	return rc;
}

static int enter_root(struct stack *s, const struct flow *f)
{
	const bool is_first = s->from_start && f->is_begin;

	s->from_start = false;
	return enter(s, f, &(struct frame) { .function = f->function },
		     is_first ? 0 : TL_BEGAN_EARLIER);
}

/* Give the newest frame to another function. */
static int replace(struct stack *s, const struct flow *f)
{
	struct frame frame = { .function = f->function };
	int rc;

	if (!s->now.nr)
		return enter_root(s, f);
	frame.back = s->now.list[s->now.nr - 1].back;
	frame.is_interrupt = s->now.list[s->now.nr - 1].is_interrupt;
	rc = leave(s, s->now.nr - 1, f->time, 0);
	return rc ?: enter(s, f, &frame, 0);
}

static size_t find_back(const struct frames *frames, __u64 ip)
{
	size_t i = frames->nr;

	while (i--)
		if (frames->list[i].back == ip)
			return i;
	return NOT_FOUND;
}

/*
 * Return the number of frames up to the newest one that may still go on. A function that has
 * called _Unwind_Resume() has cleaned up after an exception, and does not go on: the unwinder
 * continues the program in an older frame.
 */
static size_t nr_alive(const struct stack *s)
{
	size_t i = s->now.nr;

	while (i-- > 1) {
		const struct function *f = s->now.list[i].function;

		if (f && f->symbol && !strcmp(f->symbol, "_Unwind_Resume"))
			return i;
	}
	return s->now.nr;
}

/* Find the newest frame of a function below the frame that nr_alive() counts last. */
static size_t find_function(const struct stack *s, const struct function *f)
{
	size_t i = nr_alive(s);

	if (!f)
		return NOT_FOUND;
	while (i-- > 1)
		if (s->now.list[i - 1].function == f)
			return i - 1;
	return NOT_FOUND;
}

static const struct frame *newest(const struct stack *s)
{
	return s->now.nr ? &s->now.list[s->now.nr - 1] : NULL;
}

/* Keep a copy of the frames from @nr on. They go on when the flow comes back to the newest one. */
static int put_aside(struct stack *s, size_t nr)
{
	const size_t size = (s->now.nr - nr) * sizeof(*s->now.list);
	struct frames *place;

	if (!size)
		return 0;
	if (!s->aside)
		s->aside = calloc(STACK_ASIDE, sizeof(*s->aside));
	if (!s->aside)
		return -ENOMEM;
	if (s->nr_aside == STACK_ASIDE) {
		free(s->aside[0].list);
		memmove(&s->aside[0], &s->aside[1], (STACK_ASIDE - 1) * sizeof(*s->aside));
		s->nr_aside--;
	}
	place = &s->aside[s->nr_aside];
	place->list = malloc(size);
	if (!place->list)
		return -ENOMEM;
	memcpy(place->list, s->now.list + nr, size);
	place->nr = s->now.nr - nr;
	s->nr_aside++;
	return 0;
}

/* Find a stack whose newest frame returns to @ip. */
static size_t find_aside(const struct stack *s, __u64 ip)
{
	size_t i = s->nr_aside;

	while (i--)
		if (s->aside[i].list[s->aside[i].nr - 1].back == ip)
			return i;
	return NOT_FOUND;
}

/* Add copies of the frames of another stack. */
static int append(struct stack *s, const struct frames *more)
{
	size_t i;

	for (i = 0; i < more->nr; i++) {
		if (grow((void **)&s->now.list, s->now.nr, sizeof(*s->now.list)))
			return -ENOMEM;
		s->now.list[s->now.nr++] = more->list[i];
	}
	return 0;
}

/* Switch to a stack that was put aside. The frame in which the switch happened has ended. */
static int switch_to(struct stack *s, size_t which, __u64 time)
{
	struct frames other = s->aside[which];
	int rc;

	s->nr_aside--;
	memmove(&s->aside[which], &s->aside[which + 1],
		(s->nr_aside - which) * sizeof(*s->aside));
	rc = put_aside(s, 0);
	if (!rc)
		rc = leave(s, 0, time, TL_CUT);
	other.nr--;
	if (!rc)
		rc = append(s, &other);
	free(other.list);
	return rc ?: tell(s, time, TL_BEGAN_EARLIER);
}

static int call(struct stack *s, const struct flow *f)
{
	const __u64 back = f->size ? f->from + f->size : 0;

	/* A call of the next instruction is how code reads its own address. */
	if (f->to == back)
		return 0;
	return enter(s, f, &(struct frame) { f->function, back, false }, 0);
}

/* The flow goes to an address that no frame of this stack has. */
static int go_elsewhere(struct stack *s, const struct flow *f)
{
	const size_t aside = find_aside(s, f->to);
	int rc;

	if (aside != NOT_FOUND)
		return switch_to(s, aside, f->time);
	/* No callers of the only frame are known: this is one. */
	if (s->now.nr <= 1) {
		rc = leave(s, 0, f->time, 0);
		return rc ?: enter_root(s, f);
	}
	rc = put_aside(s, 0);
	if (!rc)
		rc = leave(s, 0, f->time, TL_CUT);
	return rc ?: enter_root(s, f);
}

/*
 * Leave a frame and those above it. If there are several, they can be those of a coroutine that
 * this stack has resumed, and that will be resumed again.
 */
static int leave_frame(struct stack *s, size_t i, const struct flow *f)
{
	const bool is_root = !i;
	int rc = i + 1 < s->now.nr ? put_aside(s, i) : 0;

	if (!rc)
		rc = leave(s, i, f->time, 0);
	return rc || !is_root ? rc : enter_root(s, f);
}

static int back_to(struct stack *s, const struct flow *f)
{
	size_t i = find_back(&s->now, f->to);

	if (i != NOT_FOUND)
		return leave_frame(s, i, f);
	/* PUSH and RET are a jump. A signal handler returns to code that the kernel put there. */
	if (f->is_begin || (s->now.nr && newest(s)->is_interrupt))
		return replace(s, f);
	i = find_function(s, f->function);
	return i != NOT_FOUND ? leave(s, i + 1, f->time, 0) : go_elsewhere(s, f);
}

static int jump(struct stack *s, const struct flow *f)
{
	size_t i;

	if (!s->now.nr)
		return enter_root(s, f);
	if (f->is_begin)
		return replace(s, f);
	if (newest(s)->function == f->function)
		return 0;
	i = find_back(&s->now, f->to);
	if (i != NOT_FOUND && i)
		return leave_frame(s, i, f);
	i = find_aside(s, f->to);
	if (i != NOT_FOUND)
		return switch_to(s, i, f->time);
	i = find_function(s, f->function);
	return i != NOT_FOUND ? leave(s, i + 1, f->time, 0) : replace(s, f);
}

/* The flow goes on at an address that the kernel chose. */
static int begin(struct stack *s, const struct flow *f)
{
	size_t i;
	int rc;

	s->off = false;
	if (!s->now.nr)
		return enter_root(s, f);
	if (s->told < s->now.nr) {
		rc = tell(s, f->time, TL_BEGAN_EARLIER);
		if (rc)
			return rc;
	}
	/* A restarted system call begins before the address where it would go on. */
	if (f->to == s->resume || (newest(s)->function == f->function && !f->is_begin))
		return 0;
	i = find_back(&s->now, f->to);
	if (i != NOT_FOUND && i)
		return leave(s, i, f->time, 0);
	if (f->is_begin)
		return enter(s, f, &(struct frame) { f->function, s->resume, true }, 0);
	i = find_function(s, f->function);
	if (i != NOT_FOUND)
		return leave(s, i + 1, f->time, 0);
	rc = leave(s, 0, f->time, TL_CUT);
	return rc ?: enter_root(s, f);
}

static bool is_in_kernel(const struct frame *frame)
{
	return frame->function && frame->function->object->kind == OBJECT_KERNEL;
}

static int far_return(struct stack *s, const struct flow *f)
{
	size_t nr = s->now.nr;
	int rc;

	while (nr && is_in_kernel(&s->now.list[nr - 1]))
		nr--;
	s->resume = nr < s->now.nr ? s->now.list[nr].back : 0;
	rc = leave(s, nr, f->time, 0);
	return rc ?: begin(s, f);
}

static int sync(struct stack *s, const struct flow *f)
{
	if (s->off)
		return begin(s, f);
	return s->now.nr ? 0 : enter_root(s, f);
}

int stack_take(struct stack *s, const struct flow *f)
{
	switch ((enum flow_kind)f->kind) {
	case FLOW_CALL:
		return call(s, f);
	case FLOW_RETURN:
		return back_to(s, f);
	case FLOW_JUMP:
		return jump(s, f);
	case FLOW_FAR_CALL:
		return enter(s, f, &(struct frame) { f->function, f->from + 2, true }, 0);
	case FLOW_INTERRUPT:
		return enter(s, f, &(struct frame) { f->function, f->from, true }, 0);
	case FLOW_FAR_RETURN:
		return far_return(s, f);
	case FLOW_BEGIN:
		return begin(s, f);
	case FLOW_END:
		s->off = true;
		s->resume = f->to;
		stack_time(s, f->time);
		return 0;
	case FLOW_SYNC:
		return sync(s, f);
	case FLOW_CUT:
	case FLOW_ERROR:
	case FLOW_NO_CODE:
		return stack_end(s, f->time, TL_CUT);
	}
	return 0;
}

int stack_end(struct stack *s, __u64 time, unsigned int flags)
{
	const int rc = leave(s, 0, time, flags);

	while (s->nr_aside)
		free(s->aside[--s->nr_aside].list);
	free(s->aside);
	s->aside = NULL;
	free(s->now.list);
	s->now.list = NULL;
	s->from_start = false;
	s->off = false;
	s->resume = 0;
	return rc;
}

int stack_exec(struct stack *s, __u64 time)
{
	const int rc = stack_end(s, time, 0);

	s->from_start = true;
	s->off = true;
	return rc;
}

int stack_fork(struct stack *child, const struct stack *parent)
{
	if (child->now.nr || child->told)
		return 0;
	child->off = true;
	child->resume = parent->resume;
	return append(child, &parent->now);
}
