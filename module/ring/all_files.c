// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of this folder as one unit of compilation. Nine tenths of the time that the compiler
 * needs for one of these files goes to the kernel's headers, so one unit for each folder takes an
 * eighth of the time (kernel/sched/build_policy.c does the same). With FILES=y, Kbuild compiles
 * each file alone.
 */
#include "account.c"
#include "clock.c"
#include "flush.c"
#include "frame.c"
#include "frame_word.c"
#include "free.c"
#include "freeze.c"
#include "gap.c"
#include "hold.c"
#include "keep.c"
#include "kick.c"
#include "lines.c"
#include "mapping.c"
#include "memory.c"
#include "node.c"
#include "order.c"
#include "region.c"
#include "reuse.c"
#include "segment.c"
#include "sink.c"
#include "sink_memory.c"
#include "stop.c"
