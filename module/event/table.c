// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash table of attached events that grows and shrinks with their number: a lookup
 * costs the same, however many events other users have attached.
 *
 * Lookups come from any context up to NMI and must end. An rhashtable cannot guarantee this:
 * rhashtable_rehash_one() links an entry into its new chain before it takes the entry
 * out of the old one. A lookup from an NMI between these two steps ends in the new
 * chain, sees that this is not the chain that it began in, and starts again, forever.
 *
 * Here each event has two links, one for the array of buckets in use and one for the
 * array that replaces it. The old chains stay as they are, so their readers go on
 * undisturbed. A grace period passes before the links of the old array are used again.
 */
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "event/table.h"
#include "ring/attach.h"

#define PA_MIN_BITS	6
#define PA_MAX_BITS	24

struct pa_buckets {
	struct rcu_head rcu;
	unsigned int bits;
	unsigned int link;		/* index in pa_attached.node */
	struct hlist_head heads[];
};

static __always_inline unsigned int
pa_bucket(const struct pa_buckets *b, const struct perf_event *event)
{
	return hash_long((unsigned long)event, b->bits);
}

notrace struct pa_attached *pa_table_find(const struct pa_table *table,
					  const struct perf_event *event)
{
	const struct pa_buckets *b = rcu_dereference_raw_check(table->now);
	struct pa_attached *attached;

	if (!b)
		return NULL;
	hlist_for_each_entry_rcu_notrace(attached, &b->heads[pa_bucket(b, event)],
					 node[b->link])
		if (attached->event == event)
			return attached;
	return NULL;
}

static struct pa_buckets *pa_buckets_alloc(unsigned int bits)
{
	struct pa_buckets *b;

	b = kvzalloc(struct_size(b, heads, 1UL << bits),
		     GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (b)
		b->bits = bits;
	return b;
}

static void pa_buckets_copy(struct pa_buckets *to, const struct pa_buckets *from)
{
	struct pa_attached *attached;
	unsigned long i;

	for (i = 0; i < 1UL << from->bits; i++) {
		hlist_for_each_entry(attached, &from->heads[i], node[from->link])
			hlist_add_head(&attached->node[to->link],
				       &to->heads[pa_bucket(to, attached->event)]);
		cond_resched();
	}
}

static struct pa_buckets *pa_table_now(const struct pa_table *table)
{
	/* Changes are made one after the other. */
	return rcu_dereference_protected(table->now, true);
}

static void pa_table_publish(struct pa_table *table, struct pa_buckets *b)
{
	struct pa_buckets *old = pa_table_now(table);

	rcu_assign_pointer(table->now, b);
	table->settled = get_state_synchronize_rcu();
	if (old)
		kvfree_rcu(old, rcu);
}

/* If there is no memory, the table keeps its size, and only the chains are longer. */
static void pa_table_resize(struct pa_table *table, unsigned int bits)
{
	struct pa_buckets *old = pa_table_now(table), *b;

	b = pa_buckets_alloc(bits);
	if (!b)
		return;
	b->link = !old->link;
	/* A reader of the array before @old may still follow the links that @b gets. */
	cond_synchronize_rcu(table->settled);
	pa_buckets_copy(b, old);
	pa_table_publish(table, b);
}

int pa_table_add(struct pa_table *table, struct pa_attached *attached)
{
	struct pa_buckets *b = pa_table_now(table);

	if (!b) {
		b = pa_buckets_alloc(PA_MIN_BITS);
		if (!b)
			return -ENOMEM;
		pa_table_publish(table, b);
	} else if (table->nr >> b->bits && b->bits < PA_MAX_BITS) {
		pa_table_resize(table, b->bits + 2);
		b = pa_table_now(table);
	}
	hlist_add_head_rcu(&attached->node[b->link],
			   &b->heads[pa_bucket(b, attached->event)]);
	table->nr++;
	return 0;
}

void pa_table_remove(struct pa_table *table, struct pa_attached *attached)
{
	hlist_del_rcu(&attached->node[pa_table_now(table)->link]);
	table->nr--;
}

/*
 * Shrink the table only far below the number at which it grew: otherwise attaching and
 * detaching one event could copy the table each time.
 */
void pa_table_removed(struct pa_table *table)
{
	const struct pa_buckets *b = pa_table_now(table);
	unsigned int bits;

	if (!b)
		return;
	if (!table->nr) {
		pa_table_publish(table, NULL);
		return;
	}
	for (bits = b->bits; bits > PA_MIN_BITS && !(table->nr >> (bits - 4)); )
		bits -= 2;
	if (bits < b->bits)
		pa_table_resize(table, bits);
}
