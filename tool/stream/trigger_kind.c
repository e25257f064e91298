// SPDX-License-Identifier: GPL-2.0-only
/*
 * The names of the kinds of triggers.
 */
#include "base/util.h"
#include "stream/trigger_kind.h"

static const char * const names[] = {
	[TRIGGER_SIGNAL]	= "signal",
	[TRIGGER_SOCKET]	= "socket",
	[TRIGGER_EVENT]		= "event",
	[TRIGGER_BPF]		= "bpf",
	[TRIGGER_EXEC]		= "exec",
	[TRIGGER_EXIT]		= "exit",
	[TRIGGER_CRASH]		= "crash",
	[TRIGGER_MACHINE]	= "machine",
	[TRIGGER_PRESSURE]	= "pressure",
	[TRIGGER_HANG]		= "hang",
	[TRIGGER_LATENCY]	= "latency",
};

const char *trigger_kind_name(unsigned int kind)
{
	return kind < ARRAY_LEN(names) ? names[kind] : NULL;
}
