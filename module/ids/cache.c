// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache of the ids of files that have been read. An answer is used only while the
 * file cannot have changed: its identity, size, ctime and change counter
 * (i_version) are the same as before it was read. On a file system without
 * i_version only ctime tells of changes. There ctime must have been old when the
 * file was read: times have a granularity, and a file may change twice in one tick.
 * Nobody may be writing the file while it is read, because the kernel notes a write
 * before the written data is there.
 *
 * Writes through a shared mapping change neither ctime nor i_version until the page
 * is written back and made writable anew (file_update_time() in page_mkwrite). So
 * the cache never answers for a file that somebody can write through a shared
 * mapping. tmpfs does not note such writes at all, so its files are not kept (see
 * pa_ids_find()).
 *
 * The identity includes the disk and the inode: the device number may belong to
 * another disk later, and an inode number of btrfs is only that of a subvolume.
 *
 * The table has a fixed size. An entry belongs to a set of four, in which a new
 * entry replaces the one that was not used for the longest time.
 */
#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/iversion.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "ids/ids.h"

#define PA_CACHE_BITS	8
#define PA_CACHE_WAYS	4

/* Longer ids are read each time. */
#define PA_CACHE_ID_SIZE	32

/* No local file system is known to have coarser time stamps than FAT, which has these. */
#define PA_CACHE_GRANULARITY	2	/* seconds */

struct pa_cache_entry {
	struct pa_ids_key key;
	u64 used;			/* number of the last use; 0: free */
	u32 id_size;
	int result;
	u8 id[PA_CACHE_ID_SIZE];
};

static struct pa_cache_entry (*pa_cache)[PA_CACHE_WAYS];
static DEFINE_SPINLOCK(pa_cache_lock);
static u64 pa_cache_uses;

/* On FAT, ctime follows a time that a user may set (fat_truncate_time()). */
static bool pa_cache_fs(const struct super_block *sb)
{
	return sb->s_magic != MSDOS_SUPER_MAGIC &&
	       strcmp(sb->s_type->name, "exfat");
}

bool pa_ids_cache_key(struct file *file, struct pa_ids_key *key)
{
	struct address_space *mapping = file->f_mapping;
	struct inode *inode = mapping->host;
	struct timespec64 ctime;

	if (mapping_writably_mapped(mapping) || !pa_cache_fs(inode->i_sb))
		return false;
	memset(key, 0, sizeof(*key));
	key->dev = inode->i_sb->s_dev;
	if (inode->i_sb->s_bdev)
		key->disk = inode->i_sb->s_bdev->bd_disk->diskseq;
	key->inode = inode;
	key->ino = inode->i_ino;
	key->generation = inode->i_generation;
	/* The query makes sure that the next change increases i_version. */
	if (IS_I_VERSION(inode))
		key->version = inode_query_iversion(inode);
	/* Pairs with nothing: a change after this is seen by the next call. */
	smp_rmb();
	/*
	 * inode_update_timestamps() may be halfway, so this may be a time that the inode
	 * never had. No entry has such a key, and pa_cache_may_add() sees another time.
	 */
	ctime = data_race(pa_inode_ctime(inode));
	key->ctime_sec = ctime.tv_sec;
	key->ctime_nsec = ctime.tv_nsec;
	key->size = i_size_read(inode);
	/*
	 * write() notes the change first and then copies the data, all under
	 * the inode's lock. If nobody holds the lock, the changes that the key
	 * tells of have been written, and later writes change the key.
	 */
	smp_rmb();
	/* A direct write may go on without the lock (ext4_dio_write_iter()). */
	return !inode_is_locked(inode) && !atomic_read(&inode->i_dio_count);
}

static struct pa_cache_entry *pa_cache_set(const struct pa_ids_key *key)
{
	return pa_cache[hash_64(key->ino ^ (u64)key->dev << 32, PA_CACHE_BITS)];
}

bool pa_ids_cache_find(const struct pa_ids_key *key, struct pa_elf_id *id,
		       int *result)
{
	struct pa_cache_entry *set = pa_cache_set(key);
	bool found = false;
	int i;

	spin_lock(&pa_cache_lock);
	for (i = 0; i < PA_CACHE_WAYS && !found; i++) {
		if (!set[i].used || memcmp(&set[i].key, key, sizeof(*key)))
			continue;
		set[i].used = ++pa_cache_uses;
		id->size = set[i].id_size;
		memcpy(id->data, set[i].id, set[i].id_size);
		*result = set[i].result;
		found = true;
	}
	spin_unlock(&pa_cache_lock);
	return found;
}

static bool pa_cache_may_add(struct file *file, const struct pa_ids_key *key,
			     const struct pa_elf_id *id, int result)
{
	struct pa_ids_key now;

	if (id->size > PA_CACHE_ID_SIZE || result == PERFAUX_ID_UNREADABLE ||
	    result == PERFAUX_ID_DEFERRED)
		return false;
	/* Did the file change while it was read? */
	if (!pa_ids_cache_key(file, &now) || memcmp(&now, key, sizeof(now)))
		return false;
	return IS_I_VERSION(file->f_mapping->host) ||
	       key->ctime_sec + PA_CACHE_GRANULARITY <
	       ktime_get_real_seconds();
}

void pa_ids_cache_add(struct file *file, const struct pa_ids_key *key,
		      const struct pa_elf_id *id, int result)
{
	struct pa_cache_entry *set = pa_cache_set(key), *entry = set;
	int i;

	if (!pa_cache_may_add(file, key, id, result))
		return;
	spin_lock(&pa_cache_lock);
	for (i = 1; i < PA_CACHE_WAYS; i++)
		if (set[i].used < entry->used)
			entry = &set[i];
	entry->key = *key;
	entry->used = ++pa_cache_uses;
	entry->id_size = result ? 0 : id->size;
	entry->result = result;
	memcpy(entry->id, id->data, entry->id_size);
	spin_unlock(&pa_cache_lock);
}

int pa_ids_cache_init(void)
{
	pa_cache = kvcalloc(1 << PA_CACHE_BITS, sizeof(*pa_cache), GFP_KERNEL);
	return pa_cache ? 0 : -ENOMEM;
}

void pa_ids_cache_exit(void)
{
	kvfree(pa_cache);
}
