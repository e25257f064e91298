// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the memory of a flight recorder is divided. -M bounds all of it.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "flight/flight.h"
#include "zstd/write_frames.h"

/* The program itself, the stream's buffer and tables: measured, with room to spare. */
#define OWN		(11ULL << 19)
/* Data that waits to become a record, see record/late_ids.c and bpf/bpf.c. */
#define WAITING_MIN	(128U << 10)
#define WAITING_MAX	(4U << 20)
#define BPF_MIN		(256U << 10)
#define BPF_MAX		(64U << 20)
/* Memory per CPU besides its main ring: the ring of bpf/bpf.h, with its control page. */
#define PER_CPU		(5ULL * 4096)
/* Main rings: a burst of some ms fits in the smaller size. */
#define MAIN_MIN	(32U << 10)
#define MAIN_MAX	AUXREC_MAIN_DEFAULT
/* Bytes of records that are packed together. A packed block is freed as a whole. */
#define BLOCK		(64U << 10)
/* If less than this is left for records and a raw ring, packing itself would use much of it. */
#define PACKED_MIN	(6ULL << 20)
/* The least memory for records. With less, a snapshot would not be worth writing. */
#define RECORDS_MIN	(1ULL << 20)

static __u64 within(__u64 size, __u64 min, __u64 max)
{
	return size < min ? min : size > max ? max : size;
}

/*
 * There are two sets of names with 16 bytes for each name, and half a set more while one grows.
 */
static __u64 own_memory(const struct flight_options *opt)
{
	return OWN + (opt->block ? recent_packing(opt->block) : 0) + opt->bpf_queue +
	       opt->compress + opt->ids.waiting + 40ULL * opt->ids.names;
}

static void divide_own(struct flight_options *opt)
{
	size_t waiting = WAITING_MIN;

	while (waiting < within(opt->memory / 64, WAITING_MIN, WAITING_MAX))
		waiting *= 2;
	opt->ids = (struct ids_limits){
		.queue = waiting / 4, .waiting = waiting, .names = waiting / 64,
	};
	opt->bpf_queue = within(opt->memory / 32, BPF_MIN, BPF_MAX);
}

__u64 flight_main_memory(size_t bytes, size_t nr_cpus)
{
	return (bytes + sysconf(_SC_PAGESIZE) + PER_CPU) * nr_cpus;
}

static int too_little(const struct options *opt, __u64 wanted, struct diag *d)
{
	return diag(d, -EINVAL,
		    "-M %lluM is not enough for this machine and these rings: give at least %lluM, or smaller rings with -m",
		    (unsigned long long)opt->flight.memory >> 20,
		    (unsigned long long)(wanted + (1 << 20) - 1) >> 20);
}

int flight_defaults(struct options *opt, struct diag *d)
{
	const __u64 raw = opt->raw_bytes ?: (__u64)opt->seg_size * opt->nr_segs;
	const __u64 limit = opt->flight.memory;
	struct cpus cpus;
	__u64 fixed;
	int err;

	divide_own(&opt->flight);
	/*
	 * Two processes can compress: the writer of a snapshot, and its child that counts the
	 * bytes.
	 */
	opt->flight.compress = opt->compress ? 2 * write_frames_memory(opt->compress) : 0;
	if (opt->compress && !opt->flight.compress)
		return diag(d, -ENOMEM, "--compress: out of memory");
	opt->flight.block = 0;
	err = cpus_online(&cpus);
	if (err)
		return diag(d, err, "cannot read which CPUs are online: %s", strerror(-err));
	if (!opt->main_bytes) {
		opt->main_bytes = MAIN_MAX;
		while (opt->main_bytes > MAIN_MIN &&
		       flight_main_memory(opt->main_bytes, cpus.nr) > limit / 8)
			opt->main_bytes /= 2;
	}
	fixed = own_memory(&opt->flight) + flight_main_memory(opt->main_bytes, cpus.nr);
	cpus_free(&cpus);
	if (fixed + PACKED_MIN + (opt->raw_given ? raw : 0) <= limit) {
		opt->flight.block = BLOCK;
		fixed += recent_packing(BLOCK);
	}
	if (fixed + RECORDS_MIN > limit)
		return too_little(opt, fixed + RECORDS_MIN, d);
	/*
	 * A raw ring has half of the rest. Without a raw ring, records have that, too: see
	 * flight_divide().
	 */
	if (!opt->raw_given) {
		opt->raw_given = true;
		opt->flight.half_is_raw = true;
		opt->raw_bytes = (limit - fixed) / 2;
	}
	return 0;
}

/* Records have all of the rest, see history/recent.h. */
int flight_divide(struct session *s, struct flight_memory *m, struct diag *d)
{
	const struct options *opt = s->opt;
	__u64 fixed;

	*m = (struct flight_memory){
		.limit = opt->flight.memory,
		.own = own_memory(&opt->flight),
		.main = opt->main_bytes,
		/* The memory of a kept ring was reserved before. */
		.raw = s->have_raw && !opt->flight.survive ?
		       s->raw.ring_size + s->raw.marks_size : 0,
	};
	fixed = m->own + flight_main_memory(m->main, s->cpus.nr) + m->raw;
	if (fixed + RECORDS_MIN > m->limit)
		return too_little(opt, fixed + RECORDS_MIN, d);
	m->records = m->limit - fixed;
	return 0;
}
