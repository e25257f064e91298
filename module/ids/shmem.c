// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read mapped files that have no disk: those of tmpfs, and memfds.
 *
 * The kernel keeps both in shmem, which has no read_folio: read_mapping_folio() cannot read them,
 * and shmem_read_mapping_page() brings pages back from swap.
 */
#include <linux/err.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/xarray.h>

#include "ids/ids.h"

bool pa_ids_is_shmem(const struct address_space *mapping)
{
	return mapping->host->i_sb->s_magic == TMPFS_MAGIC;
}

struct folio *pa_ids_shmem_folio(struct address_space *mapping, pgoff_t index)
{
	struct page *page;

	if (!xa_load(&mapping->i_pages, index))
		return NULL;
	page = shmem_read_mapping_page(mapping, index);
	return IS_ERR(page) ? ERR_CAST(page) : page_folio(page);
}
