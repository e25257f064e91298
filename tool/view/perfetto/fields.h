/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of the fields of Perfetto's protos (protos/perfetto/trace/) that a trace uses. They
 * are Perfetto's public interface and do not change.
 */
#ifndef VIEW_PERFETTO_FIELDS_H
#define VIEW_PERFETTO_FIELDS_H

enum {
	TRACE_PACKET			= 1,	/* Trace: a TracePacket */
};

enum trace_packet {
	PACKET_TIMESTAMP		= 8,
	PACKET_SEQUENCE			= 10,
	PACKET_EVENT			= 11,	/* TrackEvent */
	PACKET_INTERNED			= 12,	/* InternedData */
	PACKET_FLAGS			= 13,	/* SEQUENCE_* */
	PACKET_TRACK			= 60,	/* TrackDescriptor */
	PACKET_SAMPLE			= 66,	/* PerfSample */
	PACKET_FIRST			= 87,	/* bool */
};

enum sequence_flags {
	SEQUENCE_CLEARED		= 1,	/* earlier interned data is not valid any more */
	SEQUENCE_NEEDS_STATE		= 2,	/* the packet uses interned data */
};

enum interned_data {
	INTERNED_CATEGORY		= 1,
	INTERNED_EVENT_NAME		= 2,
	INTERNED_ARGUMENT_NAME		= 3,
	INTERNED_FUNCTION		= 5,
	INTERNED_FRAME			= 6,
	INTERNED_STACK			= 7,
	INTERNED_PATH			= 17,
	INTERNED_MAPPING		= 19,
};

/* All entries of InternedData have their number and, except for the next three, a string. */
enum {
	ENTRY_NUMBER			= 1,
	ENTRY_STRING			= 2,

	FRAME_FUNCTION			= 2,
	FRAME_MAPPING			= 3,
	FRAME_ADDRESS			= 4,	/* in the mapping */

	MAPPING_PATH			= 7,

	STACK_FRAME			= 2,	/* the outermost one first */
};

enum track_descriptor {
	TRACK_UUID			= 1,
	TRACK_NAME			= 2,
	TRACK_PROCESS			= 3,	/* ProcessDescriptor */
	TRACK_THREAD			= 4,	/* ThreadDescriptor */
	TRACK_PARENT			= 5,
	TRACK_COUNTER			= 8,	/* CounterDescriptor */
};

enum {
	PROCESS_PID			= 1,
	PROCESS_NAME			= 6,

	THREAD_PID			= 1,
	THREAD_TID			= 2,
	THREAD_NAME			= 5,
};

enum track_event {
	EVENT_CATEGORY			= 3,	/* interned */
	EVENT_ARGUMENT			= 4,	/* DebugAnnotation */
	EVENT_TYPE			= 9,
	EVENT_NAME_NUMBER		= 10,	/* interned */
	EVENT_TRACK			= 11,
	EVENT_CATEGORY_STRING		= 22,
	EVENT_NAME			= 23,
	EVENT_VALUE			= 44,	/* of a counter, double */
};

enum event_type {
	EVENT_SLICE_BEGIN		= 1,
	EVENT_SLICE_END			= 2,
	EVENT_INSTANT			= 3,
	EVENT_COUNTER			= 4,
};

enum debug_annotation {
	ARGUMENT_NAME			= 1,	/* interned */
	ARGUMENT_BOOL			= 2,
	ARGUMENT_NUMBER			= 3,	/* unsigned */
	ARGUMENT_STRING			= 6,
};

enum perf_sample {
	SAMPLE_PID			= 2,
	SAMPLE_TID			= 3,
	SAMPLE_STACK			= 4,	/* interned */
	SAMPLE_WEIGHT			= 6,	/* timebase_count */
};

#endif /* VIEW_PERFETTO_FIELDS_H */
