// SPDX-License-Identifier: GPL-2.0-only
/*
 * The region of memory for kept rings: its user and its state. The region has one user at a time:
 * a ring, or a reader of an earlier boot's data.
 *
 * The memory of reserve_mem= is in the kernel's direct mapping. Each of its pages has a struct page
 * with a reference (memmap_init_reserved_pages()), which vm_insert_page() needs.
 */
#include <linux/err.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "compat/reserve_mem.h"
#include "ring/keep.h"

static bool persist = true;
module_param(persist, bool, 0444);
MODULE_PARM_DESC(persist, "Keep what an earlier boot has left in memory of reserve_mem= (default 1)");

/*
 * A caller waits at most this long for a ring whose file is gone: the ring's last writer must end,
 * and a worker must free the ring. A producer in the kernel can keep the ring for any time.
 */
#define PA_LEAVE_TIME	(5 * HZ)

static DEFINE_MUTEX(pa_region_lock);
static DECLARE_WAIT_QUEUE_HEAD(pa_region_wait);
static bool pa_region_leaving;				/* the ring's file is gone */
static enum perfaux_kept_state pa_state_of_region;	/* guarded by pa_region_lock */
static void *pa_region;
static size_t pa_region_bytes;

static void pa_region_clear(void)
{
	size_t at;

	for (at = 0; at < pa_region_bytes; at += PAGE_SIZE) {
		clear_page(pa_region + at);
		cond_resched();
	}
}

void pa_region_init(void)
{
	phys_addr_t start, size, begin;

	if (!pa_reserve_mem_find("perfaux", &start, &size))
		return;
	begin = PAGE_ALIGN(start);
	if (begin - start >= size || (size - (begin - start)) >> PAGE_SHIFT == 0)
		return;
	pa_region = phys_to_virt(begin);
	pa_region_bytes = (size - (begin - start)) & PAGE_MASK;
	pa_state_of_region = PERFAUX_KEPT_EMPTY;
	if (memcmp(pa_region, PERFAUX_KEPT_MAGIC, sizeof(PERFAUX_KEPT_MAGIC) - 1))
		return;
	if (persist)
		pa_state_of_region = PERFAUX_KEPT_FULL;
	else
		pa_region_clear();
}

size_t pa_region_size(void)
{
	return pa_region_bytes;
}

enum perfaux_kept_state pa_region_state(void)
{
	enum perfaux_kept_state state;

	mutex_lock(&pa_region_lock);
	state = pa_state_of_region;
	mutex_unlock(&pa_region_lock);
	return state;
}

/* When a recorder starts, the ring of the recorder before it can still be in the region. */
static void pa_region_wait_for_ring(void)
{
	wait_event_killable_timeout(pa_region_wait, !READ_ONCE(pa_region_leaving), PA_LEAVE_TIME);
}

/* Move the region from state @from to USED. Returns 0 or -errno. pa_region_lock held. */
static int pa_region_use(enum perfaux_kept_state from)
{
	const enum perfaux_kept_state state = pa_state_of_region;

	if (state == PERFAUX_KEPT_NONE)
		return -ENODEV;
	if (state == PERFAUX_KEPT_USED)
		return -EBUSY;
	if (state != from)
		return state == PERFAUX_KEPT_FULL ? -EEXIST : -ENODATA;
	pa_state_of_region = PERFAUX_KEPT_USED;
	return 0;
}

void *pa_region_take(size_t size)
{
	int ret;

	pa_region_wait_for_ring();
	mutex_lock(&pa_region_lock);
	ret = pa_region_use(PERFAUX_KEPT_EMPTY);
	if (!ret && size > pa_region_bytes) {
		pa_state_of_region = PERFAUX_KEPT_EMPTY;
		ret = -ENOSPC;
	}
	mutex_unlock(&pa_region_lock);
	if (ret)
		return ERR_PTR(ret);
	/* After a cold boot the memory can have any contents. */
	pa_region_clear();
	return pa_region;
}

static void pa_region_leave(enum perfaux_kept_state state)
{
	mutex_lock(&pa_region_lock);
	pa_state_of_region = state;
	WRITE_ONCE(pa_region_leaving, false);
	mutex_unlock(&pa_region_lock);
	wake_up_all(&pa_region_wait);
}

void pa_region_will_leave(void)
{
	WRITE_ONCE(pa_region_leaving, true);
}

void pa_region_give_back(void)
{
	/* Only root may see the data, and the next boot must not find a ring that was closed. */
	pa_region_clear();
	pa_region_leave(PERFAUX_KEPT_EMPTY);
}

void *pa_region_open(void)
{
	int ret;

	pa_region_wait_for_ring();
	mutex_lock(&pa_region_lock);
	ret = pa_region_use(PERFAUX_KEPT_FULL);
	mutex_unlock(&pa_region_lock);
	return ret ? ERR_PTR(ret) : pa_region;
}

void pa_region_close(void)
{
	pa_region_leave(PERFAUX_KEPT_FULL);
}

int pa_region_wipe(void)
{
	int ret = 0;

	pa_region_wait_for_ring();
	mutex_lock(&pa_region_lock);
	if (pa_state_of_region == PERFAUX_KEPT_NONE)
		ret = -ENODEV;
	else if (pa_state_of_region == PERFAUX_KEPT_USED)
		ret = -EBUSY;
	else
		pa_state_of_region = PERFAUX_KEPT_USED;
	mutex_unlock(&pa_region_lock);
	if (!ret)
		pa_region_give_back();
	return ret;
}
