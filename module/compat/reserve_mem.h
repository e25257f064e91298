/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * 6.11 ("mm/memblock: Add "reserve_mem" to reserved named memory at boot up"): memory that the
 * kernel's parameters reserve by name. Older kernels have none.
 */
#ifndef PERFAUX_COMPAT_RESERVE_MEM_H
#define PERFAUX_COMPAT_RESERVE_MEM_H

#include <linux/mm.h>
#include <linux/types.h>

/* Return whether there is such memory, and where. */
static inline bool pa_reserve_mem_find(const char *name, phys_addr_t *start, phys_addr_t *size)
{
#ifdef PA_HAVE_RESERVE_MEM
	return reserve_mem_find_by_name(name, start, size);
#else
	return false;
#endif
}

#endif /* PERFAUX_COMPAT_RESERVE_MEM_H */
