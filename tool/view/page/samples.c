// SPDX-License-Identifier: GPL-2.0-only
/* Stacks of samples as calls that last from sample to sample. */
#include <errno.h>

#include "view/page/samples.h"

/* Learn from the distance of two samples. Return how long the first one lasts. */
static __u64 lasts(struct samples *m, __u64 distance)
{
	__u64 usual = m->usual;

	if (!usual) {
		if (distance > SAMPLES_LONGEST)
			return 0;
		m->usual = distance;
		return distance;
	}
	if (distance / SAMPLES_FAR > usual) {
		/* If all distances are longer from now on, the usual one soon reaches them. */
		m->usual = usual > distance / 2 ? distance : usual * 2;
		return usual;
	}
	m->usual = usual - usual / 8 + distance / 8;
	return distance;
}

static int leave_to(struct samples *m, struct spill *s, unsigned int depth, __u64 time)
{
	int err = 0;

	while (m->calls.nr_open > depth && !err)
		err = calls_leave(&m->calls, s, time, 0);
	return err;
}

int samples_add(struct samples *m, struct spill *s, __u64 time, const __u32 *names,
		unsigned int nr, __u64 weight, unsigned int *same)
{
	unsigned int i = 0;
	int err = 0;
	__u64 n;

	if (m->any) {
		if (time < m->last)
			return -EINVAL;
		n = lasts(m, time - m->last);
		if (n < time - m->last)
			err = leave_to(m, s, 0, m->last + n);
	}
	m->any = true;
	m->last = time;
	while (i < nr && i < m->calls.nr_open && names[i] == m->calls.open[i].name)
		i++;
	*same = i;
	if (!err)
		err = leave_to(m, s, i, time);
	for (; i < nr && !err; i++)
		err = calls_enter(&m->calls, s, time, names[i], 0);
	return err ? err : calls_sample(&m->calls, s, time, weight);
}

int samples_end(struct samples *m, struct spill *s, __u64 time)
{
	if (time > m->last && time - m->last > m->usual)
		time = m->last + m->usual;
	return calls_end(&m->calls, s, time, 0);
}
