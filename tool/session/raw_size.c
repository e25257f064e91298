// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose the number and size of the raw ring's segments.
 */
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
 * Use 32 MiB in all. Frames alone have few, large segments, because each frame must
 * fit into one. With AUX data as well, the segments are as large as for AUX data
 * alone, because there must be many. Frames that are longer than such a segment are rare.
 * If one is lost, the summary tells what to give with -m.
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
