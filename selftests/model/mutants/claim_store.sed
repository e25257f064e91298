# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: no segment, and a reader who gives back
# found: on the stack, and not FREE
# A claim checks the state and then stores it, in two steps
/^#include "ring\/writer.h"/a\
\
static bool model_move(struct pa_segment *seg, u64 from, u64 to)\
{\
	if (READ_ONCE(seg->shared->state) != from)\
		return false;\
	WRITE_ONCE(seg->shared->state, to);\
	return true;\
}\
\
#define pa_move	model_move
