// SPDX-License-Identifier: GPL-2.0-only
/* Overwrite rings with HELD segments, see hold_lib.h. */
#include "hold_lib.h"

int open_all(struct ring *ring, int *events, const int *cpus, int nr)
{
	const struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | 3 << 24 | 20, 150,
	};
	struct perfaux_create create;
	int i, ret;

	ring_params(&create, 16384, 4 * nr + 8U);
	create.flags = PERFAUX_RING_OVERWRITE;
	ret = ring_open(ring, &create);
	for (i = 0; i < nr && !ret; i++) {
		events[i] = auxgen_open(&config, -1, cpus[i], 0);
		ret = events[i] < 0 ? events[i] :
				      ring_attach(ring, events[i], COOKIE(3));
	}
	return ret;
}

int switch_all(const int *events, int nr, int (*how)(int event))
{
	int i, ret = 0;

	for (i = 0; !ret && i < nr; i++)
		ret = how(events[i]);
	return ret;
}

const __u64 *overwritten(const struct ring *ring)
{
	return &ring->ctl->lost_count[PERFAUX_CAUSE_OVERWRITTEN];
}

bool is_held(const struct ring *ring, uint32_t i)
{
	return PERFAUX_STATE(ring_state(ring, i)) == PERFAUX_SEG_HELD;
}

uint32_t nr_held(const struct ring *ring)
{
	uint32_t i, n = 0;

	for (i = 0; i < ring->ctl->nr_segments; i++)
		n += is_held(ring, i);
	return n;
}

void release(struct ring *ring, uint32_t i)
{
	__atomic_store_n(&ring->marks[i], PERFAUX_SEQ(ring_state(ring, i)),
			 __ATOMIC_RELEASE);
}

struct use use_of(const struct ring *ring, uint32_t i)
{
	const uint64_t state = ring_state(ring, i);
	const struct use use = {
		.seq = PERFAUX_STATE(state) == PERFAUX_SEG_BUSY ?
		       PERFAUX_SEQ(state) : 0,
		.begin = counter(&ring->segments[i].t_active),
	};

	return use;
}

bool is_left(const struct ring *ring, uint32_t i, const struct use *before)
{
	const struct perfaux_span *span =
		ring->spans + (size_t)i * ring->ctl->spans_per_segment;
	const uint32_t nr = __atomic_load_n(&ring->segments[i].nr_spans,
					    __ATOMIC_ACQUIRE);

	if (!before->seq || !before->begin || is_held(ring, i) ||
	    !nr || span->t_begin > before->begin)
		return false;
	/* If this is another use now, the segment was overwritten. */
	return PERFAUX_SEQ(ring_state(ring, i)) == before->seq;
}
