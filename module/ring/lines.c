// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check, when the module is compiled, which members of the ring's structures share a cache line.
 *
 * If one of these assertions fails, a member was added or moved. Put it beside members that change
 * as often. If their line becomes too long, divide the line and its check.
 */
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/stddef.h>

#include "ring/ring.h"

/* The lines where a member begins and ends */
#define PA_BEGINS(type, member)	(offsetof(type, member) / SMP_CACHE_BYTES)
#define PA_ENDS(type, member)	((offsetofend(type, member) - 1) / SMP_CACHE_BYTES)

/* Check that nothing before the member is in its line. */
#define PA_FIRST(type, member)	static_assert(offsetof(type, member) % SMP_CACHE_BYTES == 0)
/* Check that the members from @first to @last are in one line. */
#define PA_ONE(type, first, last) \
	static_assert(PA_BEGINS(type, first) == PA_ENDS(type, last))
/* Check that there is no hole between two members. */
#define PA_DENSE(type, last, first) \
	static_assert(offsetofend(type, last) == offsetof(type, first))

/* Each span reads the first line. Members that CPUs write often are in later lines. */
static_assert(PA_ENDS(struct pa_ring, wanted_seq) == 0);
PA_FIRST(struct pa_ring, claim_seq);
PA_ONE(struct pa_ring, claim_seq, nr_late);
PA_FIRST(struct pa_ring, gaps_put);
PA_ONE(struct pa_ring, gaps_put, starved_at);
PA_FIRST(struct pa_ring, hole);
PA_ONE(struct pa_ring, hole, holds);

/*
 * Segments do not share lines. The line that other CPUs read is full, so nobody can add a member
 * that the writer changes.
 */
static_assert(sizeof(struct pa_segment) == 128);
static_assert(offsetof(struct pa_segment, frames) == 64);
PA_DENSE(struct pa_segment, marker, frames);

/* A CPU finds everything that it needs for a span in one line. */
static_assert(offsetofend(struct pa_cpu, pin_event) <= 64);

/* The shared tables: an entry is one line. */
static_assert(sizeof(struct perfaux_segment) == 64);
static_assert(sizeof(struct perfaux_span) == 64);
static_assert(sizeof(struct perfaux_gap) == 64);
