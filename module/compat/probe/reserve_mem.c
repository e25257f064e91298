// SPDX-License-Identifier: GPL-2.0-only
/* Probe: reserve_mem_find_by_name() exists (6.11). */
#include <linux/mm.h>

int probe(phys_addr_t *start, phys_addr_t *size);

int probe(phys_addr_t *start, phys_addr_t *size)
{
	return reserve_mem_find_by_name("name", start, size);
}
