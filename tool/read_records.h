/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of perf's pipe format as a reader meets them: the ones from 64 up,
 * which only user space writes. Those below 64 are in linux/perf_event.h.
 *
 * All of them start with struct perf_event_header. What has a variable length
 * is read through read_bytes.h, since it need not be where it should be.
 */
#ifndef AUXREC_READ_RECORDS_H
#define AUXREC_READ_RECORDS_H

#include <linux/perf_event.h>
#include <linux/types.h>

#define READ_MAGIC		0x32454c4946524550ULL	/* "PERFILE2" */
#define READ_MAGIC_SWAPPED	0x50455246494c4532ULL
#define READ_HEADER_SIZE	16	/* of a pipe; a perf.data file has 104 */

/* A record's size is a u16; the largest multiple of 8 in it. */
#define READ_RECORD_MAX		65528

enum read_type {
	READ_ATTR		= 64,
	READ_EVENT_TYPE		= 65,
	READ_TRACING_DATA	= 66,
	READ_BUILD_ID		= 67,
	READ_FINISHED_ROUND	= 68,
	READ_ID_INDEX		= 69,
	READ_AUXTRACE_INFO	= 70,
	READ_AUXTRACE		= 71,
	READ_AUXTRACE_ERROR	= 72,
	READ_THREAD_MAP		= 73,
	READ_CPU_MAP		= 74,
	READ_STAT_CONFIG	= 75,
	READ_STAT		= 76,
	READ_STAT_ROUND		= 77,
	READ_EVENT_UPDATE	= 78,
	READ_TIME_CONV		= 79,
	READ_FEATURE		= 80,
	READ_COMPRESSED		= 81,
	READ_FINISHED_INIT	= 82,
	READ_NR_TYPES		= 83,	/* from here perf 6.1 stops */
};

/* FEATURE ids: the numbers of perf's file header sections */
enum read_feature {
	READ_FEAT_TRACING_DATA	= 1,
	READ_FEAT_BUILD_ID	= 2,
	READ_FEAT_HOSTNAME	= 3,
	READ_FEAT_OSRELEASE	= 4,
	READ_FEAT_VERSION	= 5,
	READ_FEAT_ARCH		= 6,
	READ_FEAT_NRCPUS	= 7,
	READ_FEAT_CPUDESC	= 8,
	READ_FEAT_CPUID		= 9,
	READ_FEAT_TOTAL_MEM	= 10,
	READ_FEAT_CMDLINE	= 11,
	READ_FEAT_EVENT_DESC	= 12,
	READ_FEAT_PMU_MAPPINGS	= 16,
	READ_FEAT_GROUP_DESC	= 17,
	READ_FEAT_SAMPLE_TIME	= 21,
	READ_FEAT_CLOCKID	= 23,
	READ_FEAT_COMPRESSED	= 27,
	READ_FEAT_CLOCK_DATA	= 29,
	READ_FEAT_MAX		= 31,
	READ_FEAT_END		= 32,	/* the mark that perf 6.1 takes */
};

enum read_update {
	READ_UPDATE_UNIT	= 0,
	READ_UPDATE_SCALE	= 1,
	READ_UPDATE_NAME	= 2,
	READ_UPDATE_CPUS	= 3,
};

enum read_auxtrace {
	READ_AUX_INTEL_PT	= 1,
	READ_AUX_INTEL_BTS	= 2,
	READ_AUX_CS_ETM		= 3,
	READ_AUX_ARM_SPE	= 4,
	READ_AUX_S390		= 5,
	READ_AUX_HISI_PTT	= 6,
};

struct read_auxtrace_record {
	struct perf_event_header header;
	__u64	size;		/* of the blob that follows */
	__u64	offset;		/* bytes of this queue before it */
	__u64	reference;	/* in our streams: the span's t_begin */
	__u32	idx;
	__u32	tid;
	__u32	cpu;
	__u32	reserved;
};

struct read_error_record {
	struct perf_event_header header;
	__u32	type;		/* 1: instruction trace */
	__u32	code;		/* READ_GAP_CODE + enum perfaux_cause */
	__u32	cpu;
	__u32	pid;
	__u32	tid;
	__u32	fmt;		/* 1: has a time, 2: and a machine */
	__u64	ip;
	__u64	time;
	char	msg[64];
};

#define READ_GAP_CODE		0x5000
#define READ_GAP_CODE_END	0x5010	/* control has room for 16 causes */

struct read_mmap2_record {
	struct perf_event_header header;
	__u32	pid;
	__u32	tid;
	__u64	start;
	__u64	len;
	__u64	pgoff;
	union {
		struct {
			__u32	maj;
			__u32	min;
			__u64	ino;
			__u64	generation;
		};
		struct {
			__u8	id_size;
			__u8	reserved1;
			__u16	reserved2;
			__u8	id[20];
		};
	};
	__u32	prot;
	__u32	flags;
	/* then the file's name */
};

#define READ_MMAP_NAME		40	/* offset of the name in an MMAP */
#define READ_MMAP2_NAME		72	/* and in an MMAP2 */

/* header.misc, where linux/perf_event.h may be too old to have it */
#define READ_MISC_MMAP_BUILD_ID	0x4000
#define READ_MISC_BUILD_ID_SIZE	0x8000

#endif /* AUXREC_READ_RECORDS_H */
