// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose the number and size of the raw ring's segments.
 */
#include <errno.h>
#include <perfaux.h>
#include <unistd.h>

#include "session/raw_size.h"

/*
 * The fewest segments for frames, and enough that one CPU with AUX data never waits
 * for itself
 */
#define MIN_SEGS	4
#define MAX_SEGS	4096		/* see perfaux.h */
#define MAX_SIZE	(1U << 30)
/*
 * The smaller the segments are, the less Intel PT can write until its interrupt, see
 * module/event/pmu.c.
 */
#define AUXREC_SEG_SMALL	(64U << 10)
/* The largest segment of a kept ring, see PERFAUX_RING_KEPT */
#define KEPT_SEG_MAX		(64U << 10)
/* The least that is left for records: two checkpoints of a small machine */
#define KEPT_USER_MIN		(1ULL << 20)

/*
 * Each busy CPU keeps a segment for its AUX data and one for its frames. The reader can read two
 * further segments while no CPU has to wait. Frames alone need no more than MIN_SEGS: a CPU without
 * a segment of its own writes to those of others.
 */
static __u32 segs_with_aux(unsigned int nr_cpus)
{
	return 2 * nr_cpus + 2;
}

/*
 * Use 32 MiB in all. Frames alone have few, large segments, because each frame must fit into one.
 * With AUX data as well, the segments are as large as for AUX data alone, because there must be
 * many; for more than 63 CPUs, they have more than 32 MiB. Frames that are longer than such a
 * segment are rare. If one is lost, the summary tells what to give with -m.
 */
static void default_size(bool aux, unsigned int nr_cpus, __u32 *size, __u32 *nr)
{
	*size = AUXREC_SEG_LARGE;
	if (aux)
		*size = AUXREC_SEG_SIZE;
	*nr = AUXREC_LARGE_BYTES / *size;
	if (aux && *nr < segs_with_aux(nr_cpus))
		*nr = segs_with_aux(nr_cpus);
	if (*nr > MAX_SEGS)
		*nr = MAX_SEGS;
}

void raw_size_tasks(size_t nr_tasks, unsigned int nr_cpus, __u32 *size, __u32 *nr)
{
	__u32 bytes = AUXREC_SEG_SIZE * AUXREC_SEG_COUNT;

	if (nr_tasks * AUXREC_TASK_BYTES < bytes)
		bytes = AUXREC_TASK_BYTES * (nr_tasks < 2 ? 2 : nr_tasks);
	*size = AUXREC_SEG_SIZE;
	/* If all CPUs run, each has a segment while some are being read. */
	while (*size > AUXREC_SEG_SMALL && bytes / *size < nr_cpus + nr_cpus / 4)
		*size /= 2;
	*nr = bytes / *size;
}

static __u32 usual_size(__u64 bytes, bool payloads, bool aux,
			unsigned int nr_cpus)
{
	const __u32 page = sysconf(_SC_PAGESIZE);
	__u32 size = payloads ? AUXREC_SEG_LARGE : AUXREC_SEG_SIZE;

	while (size > page && bytes / size < MIN_SEGS)
		size /= 2;
	while (payloads && aux && size > AUXREC_SEG_SIZE &&
	       bytes / size < segs_with_aux(nr_cpus))
		size /= 2;
	while (size < MAX_SIZE && bytes / size > MAX_SEGS)
		size *= 2;
	return size;
}

void raw_size(const struct options *opt, bool payloads, bool aux,
	      unsigned int nr_cpus, __u32 *size, __u32 *nr)
{
	if (!opt->raw_given && payloads) {
		default_size(aux, nr_cpus, size, nr);
	} else if (!opt->raw_given || !opt->raw_bytes) {
		*size = opt->seg_size;
		*nr = opt->nr_segs;
	} else {
		*size = usual_size(opt->raw_bytes, payloads, aux, nr_cpus);
		*nr = (opt->raw_bytes + *size - 1) / *size;
	}
}

/* Return the most bytes that a kept ring needs beside its segments' data and the user part. */
static __u64 kept_overhead(__u32 size, __u32 nr)
{
	/* The module's default number of spans in a segment */
	const __u64 spans = size / 1024 < 16 ? 16 : size / 1024;
	const __u64 for_segment = sizeof(struct perfaux_segment) + sizeof(struct perfaux_open) +
				  spans * sizeof(struct perfaux_span) + sizeof(__u64);

	/*
	 * Beside the segments, there are the gaps with their sums and marks (40 KiB), and the order
	 * table (64 KiB at most). The data is aligned to a segment, and other parts to a page.
	 */
	return nr * for_segment + (64U << 10) + 2 * size + 16ULL * sysconf(_SC_PAGESIZE);
}

int raw_size_kept(const struct options *opt, __u64 region, bool data, struct raw_kept *kept,
		  struct diag *d)
{
	const __u32 page = sysconf(_SC_PAGESIZE);
	__u64 wanted = opt->raw_asked && opt->raw_bytes ? opt->raw_bytes : region / 2, used;

	kept->seg_size = data ? KEPT_SEG_MAX : page;
	while (kept->seg_size > page && wanted / kept->seg_size < 2 * MIN_SEGS)
		kept->seg_size /= 2;
	if (opt->raw_asked && !opt->raw_bytes) {
		kept->seg_size = opt->seg_size;
		wanted = (__u64)opt->seg_size * opt->nr_segs;
	}
	if (kept->seg_size > KEPT_SEG_MAX)
		return diag(d, -EINVAL,
			    "--survive-crash: segments of %u KiB are too large: give at most %u KiB, e.g. -m ,64Kx256",
			    kept->seg_size >> 10, KEPT_SEG_MAX >> 10);
	kept->nr_segs = !data ? 2 : wanted / kept->seg_size < MAX_SEGS ? wanted / kept->seg_size :
									MAX_SEGS;
	used = (__u64)kept->seg_size * kept->nr_segs + kept_overhead(kept->seg_size, kept->nr_segs);
	if (used + KEPT_USER_MIN > region)
		return diag(d, -EINVAL,
			    "--survive-crash: %llu KiB of reserved memory are not enough: a raw ring of %llu KiB needs %llu KiB, reserve more (reserve_mem=) or give a smaller one (-m ,RAW)",
			    (unsigned long long)region >> 10,
			    (unsigned long long)kept->seg_size * kept->nr_segs >> 10,
			    (unsigned long long)(used + KEPT_USER_MIN) >> 10);
	kept->user_size = (region - used) / page * page;
	return 0;
}
