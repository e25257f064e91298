/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of perf's pipe format, as auxrec writes and reads them. Types from 64 on are
 * written only by user space. Records of the kernel (see linux/perf_event.h) are here if
 * auxrec uses their layout. All sizes are bytes, all fields have the machine's byte order.
 *
 * Fields of variable length are read through base/bytes.h, because the sizes in a file can
 * be wrong.
 */
#ifndef AUXREC_RECORDS_H
#define AUXREC_RECORDS_H

#include <linux/perf_event.h>
#include <linux/types.h>

#define REC_MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
#define REC_MAGIC_SWAPPED	0x50455246494c4532ULL
#define REC_HEADER_SIZE		16	/* pipe format; a perf.data file has 104 */

/*
 * The largest record: a record's size is a u16 and a multiple of 8, and perf's
 * readers accept no more.
 */
#define REC_SIZE_MAX		65528

enum rec_type {
	REC_ATTR		= 64,
	REC_EVENT_TYPE		= 65,
	REC_TRACING_DATA	= 66,
	REC_BUILD_ID		= 67,
	REC_FINISHED_ROUND	= 68,
	REC_ID_INDEX		= 69,
	REC_AUXTRACE_INFO	= 70,
	REC_AUXTRACE		= 71,
	REC_AUXTRACE_ERROR	= 72,
	REC_THREAD_MAP		= 73,
	REC_CPU_MAP		= 74,
	REC_STAT_CONFIG		= 75,
	REC_STAT		= 76,
	REC_STAT_ROUND		= 77,
	REC_EVENT_UPDATE	= 78,
	REC_TIME_CONV		= 79,
	REC_FEATURE		= 80,
	REC_COMPRESSED		= 81,
	REC_FINISHED_INIT	= 82,
	REC_NR_TYPES		= 83,	/* perf 6.1 stops at this type and above */
};

/* FEATURE ids: the numbers of perf's file header sections */
enum rec_feature {
	REC_FEAT_TRACING_DATA	= 1,
	REC_FEAT_BUILD_ID	= 2,
	REC_FEAT_HOSTNAME	= 3,
	REC_FEAT_OSRELEASE	= 4,
	REC_FEAT_VERSION	= 5,
	REC_FEAT_ARCH		= 6,
	REC_FEAT_NRCPUS		= 7,
	REC_FEAT_CPUDESC	= 8,
	REC_FEAT_CPUID		= 9,
	REC_FEAT_TOTAL_MEM	= 10,
	REC_FEAT_CMDLINE	= 11,
	REC_FEAT_EVENT_DESC	= 12,
	REC_FEAT_CPU_TOPOLOGY	= 13,
	REC_FEAT_NUMA_TOPOLOGY	= 14,
	REC_FEAT_PMU_MAPPINGS	= 16,
	REC_FEAT_GROUP_DESC	= 17,
	REC_FEAT_SAMPLE_TIME	= 21,
	REC_FEAT_CLOCKID	= 23,
	REC_FEAT_BPF_PROG_INFO	= 25,
	REC_FEAT_BPF_BTF	= 26,
	REC_FEAT_COMPRESSED	= 27,
	REC_FEAT_CLOCK_DATA	= 29,
	REC_FEAT_MAX		= 31,
	REC_FEAT_END		= 32,	/* the end mark that perf 6.1 expects */
};

/* FEATURE CLOCK_DATA: two times of the same moment */
struct rec_clock_data {
	struct perf_event_header header;
	__u64 feature;		/* REC_FEAT_CLOCK_DATA */
	__u32 version;		/* 1 */
	__u32 clockid;		/* as in the attrs */
	__u64 wall;		/* CLOCK_REALTIME, ns */
	__u64 time;		/* of @clockid, ns */
};

/*
 * BPF_PROG_INFO: u32 number of programs; then for each program u32 info_len, u32
 * data_len, u64 arrays (a bit for each array that follows), struct bpf_prog_info, and
 * the arrays, each padded to 8. Pointers in struct bpf_prog_info are offsets in the
 * arrays. perf 6.1 accepts at most REC_BPF_INFO_SIZE bytes of struct bpf_prog_info.
 *
 * BPF_BTF: u32 number of BTFs; then for each one u32 id, u32 size, the bytes of the BTF.
 */
#define REC_BPF_INFO_SIZE	232
#define REC_BTF_MAGIC		0xeb9f

enum rec_bpf_array {
	REC_BPF_JITED_INSNS	= 0,
	REC_BPF_XLATED_INSNS	= 1,
	REC_BPF_MAP_IDS		= 2,
	REC_BPF_JITED_KSYMS	= 3,
	REC_BPF_JITED_FUNC_LENS	= 4,
	REC_BPF_FUNC_INFO	= 5,
	REC_BPF_LINE_INFO	= 6,
	REC_BPF_JITED_LINE_INFO	= 7,
	REC_BPF_PROG_TAGS	= 8,
	REC_NR_BPF_ARRAYS	= 9,
};

/* EVENT_UPDATE: which property of the event the record contains */
enum rec_update {
	REC_UPDATE_UNIT		= 0,
	REC_UPDATE_SCALE	= 1,
	REC_UPDATE_NAME		= 2,
	REC_UPDATE_CPUS		= 3,
};

/* AUXTRACE_INFO: which decoder of perf can decode the AUX data */
enum rec_aux_type {
	REC_AUX_INTEL_PT	= 1,
	REC_AUX_INTEL_BTS	= 2,
	REC_AUX_CS_ETM		= 3,
	REC_AUX_ARM_SPE		= 4,
	REC_AUX_S390		= 5,
	REC_AUX_HISI_PTT	= 6,
};

/* @size bytes follow the record. header.size does not include them. */
struct rec_tracing_data {
	struct perf_event_header header;
	__u32 size;
	__u32 pad;
};

/* @size bytes follow the record. header.size does not include them. */
struct rec_auxtrace {
	struct perf_event_header header;
	__u64 size;
	__u64 offset;		/* of these bytes in the queue */
	__u64 reference;	/* the span's t_begin */
	__u32 idx;		/* of the queue */
	__u32 tid;
	__u32 cpu;
	__u32 reserved;
};

#define REC_AUXTRACE_MSG	64

struct rec_auxtrace_error {
	struct perf_event_header header;
	__u32 type;		/* REC_ERROR_ITRACE */
	__u32 code;		/* REC_GAP_CODE + enum perfaux_cause */
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 fmt;		/* 1: with a time, 2: with a time and a machine */
	__u64 ip;
	__u64 time;
	char msg[REC_AUXTRACE_MSG];
};

#define REC_ERROR_ITRACE	1	/* instruction trace */
#define REC_ERROR_FMT_TIME	1
#define REC_GAP_CODE		0x5000	/* codes of perf's decoders are small */
#define REC_GAP_CODE_END	0x5010	/* struct perfaux_control has room for 16 causes */

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
 * The end of each kernel record that is not a sample, in a stream of auxrec: all events of
 * auxrec have sample_type IDENTIFIER | TID | TIME | CPU (and more) and sample_id_all.
 */
struct rec_sample_id {
	__u32 pid;
	__u32 tid;
	__u64 time;
	__u32 cpu;
	__u32 reserved;
	__u64 id;
};

/* PERF_RECORD_LOST with its sample id. */
struct rec_lost {
	struct perf_event_header header;
	__u64 event;		/* its id */
	__u64 lost;
	struct rec_sample_id id;
};

/* PERF_RECORD_LOST_SAMPLES with its sample id. */
struct rec_lost_samples {
	struct perf_event_header header;
	__u64 lost;
	struct rec_sample_id id;
};

/* PERF_RECORD_AUX with its sample id. */
struct rec_aux {
	struct perf_event_header header;
	__u64 offset;
	__u64 size;
	__u64 flags;
	struct rec_sample_id id;
};

struct rec_mmap2 {
	struct perf_event_header header;
	__u32 pid;
	__u32 tid;
	__u64 start;
	__u64 len;
	__u64 pgoff;
	union {
		struct {
			__u32 maj;
			__u32 min;
			__u64 ino;
			__u64 generation;
		};
		struct {
			__u8 id_size;
			__u8 reserved1;
			__u16 reserved2;
			__u8 id[20];
		};
	};
	__u32 prot;
	__u32 flags;
	/* then the file's name */
};

/* The name of the kernel's map, before the symbol that tells its address */
#define REC_KERNEL_NAME		"[kernel.kallsyms]"
#define REC_MMAP_NAME		40	/* offset of the name in an MMAP */
#define REC_MMAP2_NAME		72	/* offset of the name in an MMAP2 */
#define REC_BUILD_ID_NAME	36	/* offset of the name in a BUILD_ID */

/*
 * Ids from here on belong to events that auxrec makes up. Samples of these events contain AUX
 * data or raw data, or mark a snapshot.
 */
#define REC_MADE_ID		(1ULL << 62)

/* Bits of header.misc that an older linux/perf_event.h does not have */
#define REC_MISC_FORK_EXEC	0x2000
#define REC_MISC_MMAP_BUILD_ID	0x4000
#define REC_MISC_BUILD_ID_SIZE	0x8000

#endif /* AUXREC_RECORDS_H */
