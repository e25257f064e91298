/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that perf's tools add to those of the kernel: numbers from 64 on.
 * All sizes are bytes, all fields have the machine's byte order.
 */
#ifndef AUXREC_RECORDS_H
#define AUXREC_RECORDS_H

#include <linux/perf_event.h>
#include <linux/types.h>

enum {
	REC_ATTR		= 64,
	REC_PRIMER		= 65,	/* once EVENT_TYPE: ignored */
	REC_TRACING_DATA	= 66,
	REC_FINISHED_ROUND	= 68,
	REC_ID_INDEX		= 69,
	REC_AUXTRACE_INFO	= 70,
	REC_AUXTRACE		= 71,
	REC_AUXTRACE_ERROR	= 72,
	REC_THREAD_MAP		= 73,
	REC_CPU_MAP		= 74,
	REC_EVENT_UPDATE	= 78,
	REC_TIME_CONV		= 79,
	REC_FEATURE		= 80,
	REC_FINISHED_INIT	= 82,
};

/* Followed by size bytes that header.size does not count. */
struct rec_tracing_data {
	struct perf_event_header header;
	__u32 size;
	__u32 pad;
};

/* Followed by size bytes that header.size does not count. */
struct rec_auxtrace {
	struct perf_event_header header;
	__u64 size;
	__u64 offset;		/* of these bytes in the queue */
	__u64 reference;
	__u32 idx;		/* of the queue */
	__u32 tid;
	__u32 cpu;
	__u32 reserved;
};

#define REC_AUXTRACE_MSG	64

struct rec_auxtrace_error {
	struct perf_event_header header;
	__u32 type;
	__u32 code;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 fmt;
	__u64 ip;
	__u64 time;
	char msg[REC_AUXTRACE_MSG];
};

struct rec_time_conv {
	struct perf_event_header header;
	__u64 shift;
	__u64 mult;
	__u64 zero;
	__u64 cycles;
	__u64 mask;
	__u8 cap_zero;
	__u8 cap_short;
	__u8 reserved[6];
};

/*
 * Every event of auxrec has sample_type IDENTIFIER | TID | TIME | CPU (and
 * more) and sample_id_all, so every record of the kernel that is not a sample
 * ends like this.
 */
struct rec_sample_id {
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u32 cpu;
	__u32 reserved;
	__u64 id;
};

/* PERF_RECORD_AUX with its sample id. */
struct rec_aux {
	struct perf_event_header header;
	__u64 offset;
	__u64 size;
	__u64 flags;
	struct rec_sample_id id;
};

#endif /* AUXREC_RECORDS_H */
