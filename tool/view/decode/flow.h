/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The result of the decoder: the places where the control flow of a thread or a CPU goes from one
 * function to another, and the places where it is not known.
 */
#ifndef VIEW_FLOW_H
#define VIEW_FLOW_H

#include <linux/types.h>
#include <stdbool.h>

struct function;
struct object;

enum flow_kind {
	FLOW_CALL,
	FLOW_RETURN,
	FLOW_JUMP,		/* into another function, also without a branch */
	FLOW_FAR_CALL,		/* into the kernel */
	FLOW_FAR_RETURN,	/* out of the kernel */
	FLOW_INTERRUPT,		/* @from was not executed: it is where a return goes to */
	FLOW_BEGIN,		/* tracing begins at @to */
	FLOW_END,		/* tracing ends; it would go on at @to, if that is not 0 */
	FLOW_SYNC,		/* the flow is at @to, whether or not it was known before */
	FLOW_CUT,		/* data is missing, so the flow is not known from here on */
	FLOW_ERROR,		/* the same, because data cannot be decoded: see @text */
	FLOW_NO_CODE,		/* the same, because the code at @to (of @object) is missing */
};

struct flow {
	__u64	time;		/* ns */
	__u64	from;		/* the instruction */
	__u64	to;
	union {
		struct function *function;	/* of @to; NULL: nothing is mapped there */
		const char *text;		/* of FLOW_ERROR, and FLOW_CUT if known */
		struct object *object;		/* of FLOW_NO_CODE; NULL: nothing is mapped */
	};
	__u8	kind;
	__u8	size;		/* of the instruction of FLOW_CALL */
	bool	is_begin;	/* @to is the function's first instruction */
	__u32	steps;		/* instructions since the last time in the trace */
};

#endif /* VIEW_FLOW_H */
