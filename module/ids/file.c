// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read files that are being mapped. perf_event_mmap() runs with mmap_lock held for
 * writing, so this file may do what a page fault may do then: get pages from the
 * page cache. It reads pages in only if that depends on nothing but a disk, and
 * with invalidate_lock, which keeps hole punching away (filemap_fault()). It must
 * not call the file's read(), which takes inode locks that are taken before
 * mmap_lock.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/moduleparam.h>
#include <linux/pagemap.h>
#include <linux/string.h>

#include "ids/ids.h"

static unsigned int disk_us = PA_IDS_DISK_US;
module_param(disk_us, uint, 0644);
MODULE_PARM_DESC(disk_us, "How long a mapping that is recorded may wait for a second and further pages of its file, in microseconds (default 12000)");

struct pa_ids_reader {
	struct pa_elf_reader reader;
	struct file *file;
	enum pa_ids_access access;
	struct folio *folio;		/* the last one that was used */
	bool hole;			/* no page at hole_index: it reads as zeros */
	pgoff_t hole_index;
	/* The rest of the bounds, see PA_IDS_MAX_MISSES. */
	unsigned int misses;
	unsigned int pages;
	unsigned int calls;
	u64 first;			/* when the first page was asked for, ktime_get_ns() */
	u64 slowest;			/* time of the slowest page, ns; 0: none read in yet */
	pgoff_t page;			/* the last one that was counted */
};

/*
 * File systems that have a block device, but where a user's program or other
 * machines decide when a read is served.
 */
static bool pa_ids_fs_waits(const struct super_block *sb)
{
	static const char * const names[] = { "fuseblk", "gfs2", "ocfs2" };
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(sb->s_type->name, names[i]))
			return true;
	/* Without a block device, erofs reads from a file, or from a daemon by way of fscache. */
	return !strcmp(sb->s_type->name, "erofs") && !sb->s_bdev;
}

/*
 * Return how @file may be read. On overlayfs vma->vm_file is the file of the layer,
 * so the layer's file system counts. secretmem, hugetlbfs and DAX have no
 * read_folio: their pages must not, or cannot, be read like this.
 */
enum pa_ids_access pa_ids_access(struct file *file)
{
	struct address_space *mapping = file->f_mapping;
	const struct super_block *sb = mapping->host->i_sb;

	if (!mapping->a_ops->read_folio)
		return pa_ids_is_shmem(mapping) ? PA_IDS_SHMEM : PA_IDS_NEVER;
	if (sb->s_magic == RAMFS_MAGIC)
		return PA_IDS_READ;
	if (sb->s_type->fs_flags & FS_REQUIRES_DEV && !pa_ids_fs_waits(sb))
		return PA_IDS_READ;
	return PA_IDS_PEEK;
}

static struct folio *pa_ids_peek(struct pa_ids_reader *r, pgoff_t index)
{
	struct folio *folio = filemap_get_folio(r->file->f_mapping, index);

	if (IS_ERR_OR_NULL(folio))
		return ERR_PTR(-EAGAIN);
	if (folio_test_uptodate(folio))
		return folio;
	folio_put(folio);
	return ERR_PTR(-EAGAIN);
}

static struct folio *pa_ids_read_folio(struct pa_ids_reader *r, pgoff_t index)
{
	struct address_space *mapping = r->file->f_mapping;
	struct folio *folio;

	/* do_read_cache_folio() expects this lock. */
	filemap_invalidate_lock_shared(mapping);
	folio = read_mapping_folio(mapping, index, r->file);
	filemap_invalidate_unlock_shared(mapping);
	return folio;
}

/* Return whether the bounds of number and time allow that another page is read in. */
static bool pa_ids_may_read(const struct pa_ids_reader *r, u64 now)
{
	if (!r->misses)
		return false;
	return !r->slowest ||
	       now - r->first + r->slowest <= (u64)READ_ONCE(disk_us) * NSEC_PER_USEC;
}

static struct folio *pa_ids_read_in(struct pa_ids_reader *r, pgoff_t index)
{
	const u64 begin = ktime_get_ns();
	struct folio *folio;

	if (!pa_ids_may_read(r, begin))
		return ERR_PTR(-EAGAIN);
	r->misses--;
	if (!r->slowest)
		r->first = begin;
	folio = r->access == PA_IDS_SHMEM ?
		pa_ids_shmem_folio(r->file->f_mapping, index) : pa_ids_read_folio(r, index);
	/* Not 0, which means that no page was read in. */
	r->slowest = max(r->slowest, ktime_get_ns() - begin + 1);
	return folio;
}

static struct folio *pa_ids_get_folio(struct pa_ids_reader *r, pgoff_t index)
{
	struct folio *folio = pa_ids_peek(r, index);

	if (!IS_ERR(folio) || r->access == PA_IDS_PEEK)
		return folio;
	return pa_ids_read_in(r, index);
}

static bool pa_ids_has(const struct pa_ids_reader *r, pgoff_t index)
{
	if (r->hole)
		return r->hole_index == index;
	return r->folio && index - r->folio->index < folio_nr_pages(r->folio);
}

static int pa_ids_use_folio(struct pa_ids_reader *r, pgoff_t index)
{
	if (pa_ids_has(r, index))
		return 0;
	if (r->folio)
		folio_put(r->folio);
	r->folio = pa_ids_get_folio(r, index);
	r->hole = !r->folio;
	r->hole_index = index;
	if (IS_ERR(r->folio)) {
		int ret = PTR_ERR(r->folio);

		r->folio = NULL;
		return ret;
	}
	if (r->hole)
		return 0;
	/* The file may have been truncated since. */
	return r->folio->mapping == r->file->f_mapping ? 0 : -EIO;
}

static void pa_ids_copy(const struct pa_ids_reader *r, u64 offset, void *buf,
			u32 len)
{
	void *addr;

	if (r->hole) {
		memset(buf, 0, len);
		return;
	}
	addr = kmap_local_folio(r->folio, offset - folio_pos(r->folio));
	memcpy(buf, addr, len);
	kunmap_local(addr);
}

/* Count pages, not folios, because one folio can be as large as a file. */
static bool pa_ids_may_use(struct pa_ids_reader *r, pgoff_t page)
{
	if (page == r->page)
		return true;
	if (!r->pages)
		return false;
	r->pages--;
	r->page = page;
	return true;
}

static int pa_ids_read_pages(struct pa_elf_reader *reader, u64 offset,
			     void *buf, u32 len)
{
	struct pa_ids_reader *r = container_of(reader, struct pa_ids_reader,
					       reader);

	if (!r->calls--)
		return -EAGAIN;
	while (len) {
		u32 n = min_t(u32, len, PAGE_SIZE - offset_in_page(offset));
		pgoff_t page = offset >> PAGE_SHIFT;
		int ret = -EAGAIN;

		if (pa_ids_may_use(r, page))
			ret = pa_ids_use_folio(r, page);
		if (ret)
			return ret;
		pa_ids_copy(r, offset, buf, n);
		buf += n;
		offset += n;
		len -= n;
	}
	return 0;
}

/* Turn errors of the reader into results: only -EAGAIN differs from the others. */
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
		.misses = PA_IDS_MAX_MISSES,
		.pages = PA_IDS_MAX_PAGES,
		.calls = PA_IDS_MAX_CALLS,
		.page = ~(pgoff_t)0,
	};
	int ret;

	if (access == PA_IDS_NEVER)
		return PERFAUX_ID_DEFERRED;
	ret = pa_elf_id(&r.reader, id);
	if (r.folio)
		folio_put(r.folio);
	/* If the file was truncated meanwhile, zeros may have been read, which are no id. */
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
	const struct cred *old;
	int ret;

	/* kernel_read() would complain about such a file in the log. */
	if (!(file->f_mode & FMODE_CAN_READ) || !file->f_op->read_iter ||
	    file->f_op->read)
		return PERFAUX_ID_UNREADABLE;
	/*
	 * Read with the credentials of the opener: a server asks who reads,
	 * and a server in a user namespace does not know the kernel's root
	 * (fuse_get_req()).
	 */
	old = override_creds(file->f_cred);
	ret = pa_elf_id(&r.reader, id);
	revert_creds(old);
	return ret < 0 ? PERFAUX_ID_UNREADABLE : ret;
}
