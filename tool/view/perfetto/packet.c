// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the packets of a trace, and the events in them.
 */
#include <errno.h>

#include "view/perfetto/parts.h"

/* All packets are one sequence. Interned data are valid within a sequence. */
#define SEQUENCE	1

static const char * const arguments[NR_ARGUMENTS] = {
	[ARG_BEGAN_EARLIER] = "began earlier",
	[ARG_CUT] = "cut",
	[ARG_UNTIL] = "until",
	[ARG_BYTES] = "bytes",
	[ARG_RECORDS] = "records",
	[ARG_VALUE] = "value",
	[ARG_TEXT] = "text",
	[ARG_CPU] = "cpu",
	[ARG_WEIGHT] = "weight",
};

static void begin_packet(struct perfetto *t, unsigned int flags)
{
	t->packet.len = 0;
	t->begin = proto_begin(&t->packet, TRACE_PACKET);
	proto_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	proto_number(&t->packet, PACKET_FLAGS, flags);
}

int perfetto_first_packet(struct perfetto *t)
{
	size_t data;
	unsigned int i;

	begin_packet(t, SEQUENCE_CLEARED | SEQUENCE_NEEDS_STATE);
	proto_number(&t->packet, PACKET_FIRST, 1);
	data = proto_begin(&t->packet, PACKET_INTERNED);
	for (i = 1; i < NR_ARGUMENTS; i++)
		perfetto_intern(t, INTERNED_ARGUMENT_NAME, i, arguments[i]);
	proto_end(&t->packet, data);
	return perfetto_write(t);
}

void perfetto_packet(struct perfetto *t)
{
	begin_packet(t, SEQUENCE_NEEDS_STATE);
}

int perfetto_write(struct perfetto *t)
{
	proto_end(&t->packet, t->begin);
	if (t->packet.failed)
		return -ENOMEM;
	errno = 0;
	if (fwrite(t->packet.data, 1, t->packet.len, t->file) != t->packet.len)
		return errno ? -errno : -EIO;
	return 0;
}

void perfetto_intern(struct perfetto *t, unsigned int field, __u64 number, const char *s)
{
	const size_t entry = proto_begin(&t->packet, field);

	proto_number(&t->packet, ENTRY_NUMBER, number);
	proto_string(&t->packet, ENTRY_STRING, s);
	proto_end(&t->packet, entry);
}

size_t perfetto_event(struct perfetto *t, __u64 time, enum event_type type, __u64 track)
{
	size_t event;

	perfetto_packet(t);
	proto_number(&t->packet, PACKET_TIMESTAMP, time);
	event = proto_begin(&t->packet, PACKET_EVENT);
	proto_number(&t->packet, EVENT_TYPE, type);
	proto_number(&t->packet, EVENT_TRACK, track);
	return event;
}

int perfetto_event_end(struct perfetto *t, size_t event)
{
	proto_end(&t->packet, event);
	return perfetto_write(t);
}

static size_t begin_argument(struct perfetto *t, enum perfetto_argument name)
{
	const size_t argument = proto_begin(&t->packet, EVENT_ARGUMENT);

	proto_number(&t->packet, ARGUMENT_NAME, name);
	return argument;
}

void perfetto_flag(struct perfetto *t, enum perfetto_argument name)
{
	const size_t argument = begin_argument(t, name);

	proto_number(&t->packet, ARGUMENT_BOOL, 1);
	proto_end(&t->packet, argument);
}

void perfetto_number(struct perfetto *t, enum perfetto_argument name, __u64 value)
{
	const size_t argument = begin_argument(t, name);

	proto_number(&t->packet, ARGUMENT_NUMBER, value);
	proto_end(&t->packet, argument);
}

void perfetto_text(struct perfetto *t, enum perfetto_argument name, const char *s)
{
	const size_t argument = begin_argument(t, name);

	proto_string(&t->packet, ARGUMENT_STRING, s);
	proto_end(&t->packet, argument);
}
