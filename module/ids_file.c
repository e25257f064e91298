// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading files that are being mapped. perf_event_mmap() runs with mmap_lock
 * held for writing, so this may do what a page fault there may do, and what
 * uprobe_mmap() does a moment later: get pages from the page cache, reading them
 * in where that depends on a disk only. Not the file's read(): that takes inode
 * locks which are taken before mmap_lock.
 */
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/magic.h>
#include <linux/pagemap.h>
#include <linux/shmem_fs.h>
#include <linux/string.h>

#include "ids.h"

struct pa_ids_reader {
	struct pa_elf_reader reader;
	struct file *file;
	enum pa_ids_access access;
	struct folio *folio;		/* the last one that was used */
};

/*
 * They have a block device, but a user's program or other machines decide when
 * a read is served.
 */
static bool pa_ids_fs_waits(const struct super_block *sb)
{
	static const char * const names[] = { "fuseblk", "gfs2", "ocfs2" };
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(sb->s_type->name, names[i]))
			return true;
	return false;
}

/*
 * For overlayfs vma->vm_file is the file of the layer, so it is that one's file
 * system that is asked. secretmem, hugetlbfs and DAX have no read_folio: their
 * pages must not, or cannot, be read like this.
 */
enum pa_ids_access pa_ids_access(struct file *file)
{
	struct address_space *mapping = file->f_mapping;
	const struct super_block *sb = mapping->host->i_sb;

	if (!mapping->a_ops->read_folio)
		return sb->s_magic == TMPFS_MAGIC ? PA_IDS_SHMEM : PA_IDS_NEVER;
	if (sb->s_magic == RAMFS_MAGIC)
		return PA_IDS_READ;
	if (sb->s_type->fs_flags & FS_REQUIRES_DEV && !pa_ids_fs_waits(sb))
		return PA_IDS_READ;
	return PA_IDS_PEEK;
}

static struct folio *pa_ids_get_folio(struct pa_ids_reader *r, pgoff_t index)
{
	struct address_space *mapping = r->file->f_mapping;
	struct folio *folio;
	struct page *page;

	switch (r->access) {
	case PA_IDS_READ:
		return read_mapping_folio(mapping, index, r->file);
	case PA_IDS_SHMEM:
		page = shmem_read_mapping_page(mapping, index);
		return IS_ERR(page) ? ERR_CAST(page) : page_folio(page);
	default:
		folio = filemap_get_folio(mapping, index);
		if (IS_ERR_OR_NULL(folio))
			return ERR_PTR(-EAGAIN);
		if (folio_test_uptodate(folio))
			return folio;
		folio_put(folio);
		return ERR_PTR(-EAGAIN);
	}
}

static int pa_ids_use_folio(struct pa_ids_reader *r, pgoff_t index)
{
	if (r->folio && index - r->folio->index < folio_nr_pages(r->folio))
		return 0;
	if (r->folio)
		folio_put(r->folio);
	r->folio = pa_ids_get_folio(r, index);
	if (IS_ERR(r->folio)) {
		int ret = PTR_ERR(r->folio);

		r->folio = NULL;
		return ret;
	}
	/* The file may have been truncated since. */
	return r->folio->mapping == r->file->f_mapping ? 0 : -EIO;
}

static int pa_ids_read_pages(struct pa_elf_reader *reader, u64 offset,
			     void *buf, u32 len)
{
	struct pa_ids_reader *r = container_of(reader, struct pa_ids_reader,
					       reader);

	while (len) {
		u32 n = min_t(u32, len, PAGE_SIZE - offset_in_page(offset));
		int ret = pa_ids_use_folio(r, offset >> PAGE_SHIFT);
		void *addr;

		if (ret)
			return ret;
		addr = kmap_local_folio(r->folio, offset - folio_pos(r->folio));
		memcpy(buf, addr, n);
		kunmap_local(addr);
		buf += n;
		offset += n;
		len -= n;
	}
	return 0;
}

/* Of the reader's errors only these two are news. */
static int pa_ids_result(int ret)
{
	if (ret >= 0)
		return ret;
	return ret == -EAGAIN ? PERFAUX_ID_DEFERRED : PERFAUX_ID_UNREADABLE;
}

int pa_ids_read_mapped(struct file *file, enum pa_ids_access access,
		       struct pa_elf_id *id)
{
	struct pa_ids_reader r = {
		.reader.read = pa_ids_read_pages,
		.reader.size = i_size_read(file->f_mapping->host),
		.file = file,
		.access = access,
	};
	int ret;

	if (access == PA_IDS_NEVER)
		return PERFAUX_ID_DEFERRED;
	ret = pa_elf_id(&r.reader, id);
	if (r.folio)
		folio_put(r.folio);
	/* What is cut off reads as zeros for a moment: that is no id. */
	if (!ret && i_size_read(file->f_mapping->host) < r.reader.size)
		ret = PERFAUX_ID_TRUNCATED;
	return pa_ids_result(ret);
}

static int pa_ids_read_slow(struct pa_elf_reader *reader, u64 offset, void *buf,
			    u32 len)
{
	struct pa_ids_reader *r = container_of(reader, struct pa_ids_reader,
					       reader);
	loff_t pos = offset;

	while (len) {
		ssize_t n = kernel_read(r->file, buf, len, &pos);

		if (n <= 0)
			return n ?: -EIO;
		buf += n;
		len -= n;
	}
	return 0;
}

int pa_ids_read_file(struct file *file, struct pa_elf_id *id)
{
	struct pa_ids_reader r = {
		.reader.read = pa_ids_read_slow,
		.reader.size = i_size_read(file->f_mapping->host),
		.file = file,
	};
	int ret;

	/* kernel_read() would complain in the log. */
	if (!(file->f_mode & FMODE_CAN_READ) || !file->f_op->read_iter ||
	    file->f_op->read)
		return PERFAUX_ID_UNREADABLE;
	ret = pa_elf_id(&r.reader, id);
	return ret < 0 ? PERFAUX_ID_UNREADABLE : ret;
}
