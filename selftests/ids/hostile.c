// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of harmful files: files that are damaged at random, that have as many
 * headers and notes as possible, and that are truncated while they are mapped. Each
 * mapping takes a bounded time, and each id is the one that the parser itself finds
 * in the same bytes.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "../ring/lib/ring_lib.h"
#include "ids_fs.h"
#include "ids_lib.h"
#include "../../module/ids/elf_id.h"

#define DAMAGED		600
#define CUTS		2000
#define MAX_SIZE	(64U << 10)

/* The most that a mapping may take on a busy emulated machine, with up to 16384 reads */
#define MAP_NS		3000000000ULL

/*
 * As in the module, while a file is mapped: the time in which more than one page may be read, the
 * pages that are read, and all pages that are looked at
 */
#define PA_IDS_DISK_US		12000
#define PA_IDS_MAX_MISSES	16
#define PA_IDS_MAX_PAGES	64
#define SPREAD_PAGES		2048
/*
 * How long others may wait in addition to the reads themselves. The bound is for the
 * shortest wait of all tries.
 */
#define WAIT_NS			20000000ULL
/* A busy machine adds to the wait, so try until one quiet moment is found. */
#define TRIES			100
/* The slow disk's time for a read */
#define SLOW_NS			8000000

FIXTURE(hostile) {
	struct elf_set set;
	struct fs_tree tree;
	struct map_ring ring;
	struct rnd rnd;
	uint8_t *bytes;
	size_t size;
	char path[256];
	int fd;
};

FIXTURE_VARIANT(hostile) {
	enum fs fs;
};

FIXTURE_VARIANT_ADD(hostile, ext4) { .fs = FS_EXT4 };
FIXTURE_VARIANT_ADD(hostile, tmpfs) { .fs = FS_TMPFS };

FIXTURE_SETUP(hostile)
{
	self->rnd.state = rnd_seed();
	TH_LOG("seed %lu", self->rnd.state);
	ids_insert(NO_HURRY_US);
	ASSERT_EQ(0, elf_set_read(&self->set));
	ASSERT_EQ(0, fs_make(&self->tree, variant->fs));
	ASSERT_EQ(0, fs_seal(&self->tree));
	snprintf(self->path, sizeof(self->path), "%s/file", self->tree.dir);
	self->bytes = calloc(1, 16 << 20);
	ASSERT_EQ(0, map_ring_open(&self->ring, 0));
	self->fd = ids_open(0);
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(hostile)
{
	fs_remove(&self->tree);
}

/* The same parser, on the bytes in memory */
struct memory_reader {
	struct pa_elf_reader reader;
	const uint8_t *bytes;
};

static int memory_read(struct pa_elf_reader *reader, u64 offset, void *buf,
		       u32 len)
{
	struct memory_reader *r = (struct memory_reader *)reader;

	memcpy(buf, r->bytes + offset, len);
	return 0;
}

static struct id find_id(const uint8_t *bytes, size_t size)
{
	struct memory_reader r = {
		.reader = { .read = memory_read, .size = size },
		.bytes = bytes,
	};
	struct id id = { 0 };
	struct pa_elf_id found;

	if (!pa_elf_id(&r.reader, &found)) {
		id.size = found.size;
		memcpy(id.data, found.data, found.size);
	}
	return id;
}

static bool load(FIXTURE_DATA(hostile) *self, const struct elf_file *file)
{
	char path[256];
	int fd;

	if (!file->size || file->size > MAX_SIZE)
		return false;
	snprintf(path, sizeof(path), "%s/%s", self->set.dir, file->name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	self->size = read(fd, self->bytes, MAX_SIZE);
	close(fd);
	return self->size == (size_t)file->size;
}

static int store(FIXTURE_DATA(hostile) *self)
{
	int fd = open(self->path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

	if (pwrite(fd, self->bytes, self->size, 0) != (ssize_t)self->size)
		return -1;
	return fd;
}

/*
 * Damage the critical places: the ELF header, the tables, notes; sizes at their
 * limits.
 */
static void damage(FIXTURE_DATA(hostile) *self)
{
	static const uint64_t values[] = {
		0, 1, 3, 4, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff,
		0xffff, 0x7fffffffffffffff, 0xfffffffffffffff0, UINT64_MAX,
	};
	const Elf64_Ehdr *ehdr = (void *)self->bytes;
	uint32_t n = 1 + rnd_below(&self->rnd, 4);
	size_t at;

	while (n--) {
		uint64_t value = values[rnd_below(&self->rnd,
						  ARRAY_SIZE(values))];
		size_t width = 1U << rnd_below(&self->rnd, 4);

		switch (rnd_below(&self->rnd, 4)) {
		case 0:
			at = rnd_below(&self->rnd, sizeof(*ehdr));
			break;
		case 1:
			at = ehdr->e_phoff % self->size +
			     rnd_below(&self->rnd, 14 * sizeof(Elf64_Phdr));
			break;
		case 2:
			at = ehdr->e_shoff % self->size +
			     rnd_below(&self->rnd, 30 * sizeof(Elf64_Shdr));
			break;
		default:
			at = rnd_below(&self->rnd, self->size);
		}
		if (at + width <= self->size)
			memcpy(self->bytes + at, &value, width);
	}
}

/*
 * Return whether the id comes late because the parser would have to look at more
 * than is allowed.
 */
static bool comes_late(FIXTURE_DATA(hostile) *self, const struct id *expected)
{
	const struct perfaux_notice *notice;
	struct notices notices = { 0 };
	bool found = false;

	if (!late_settled(self->fd))
		return false;
	while (notices_read(self->fd, &notices) > 0) {
		while ((notice = notices_next(&notices))) {
			struct id id = notice_id(notice);

			found |= notice->type == PERFAUX_NOTICE_LATE_ID &&
				 id_equal(expected, &id);
		}
	}
	notices_free(&notices);
	return found;
}

/* Map the file. Return how long that took, or 0 if the id is wrong. */
static uint64_t check(FIXTURE_DATA(hostile) *self, int fd,
		      const struct id *found)
{
	struct id expected = id_in_record(found);
	struct map_record record;
	uint64_t begin = now_ns();
	int ret = map_and_read(&self->ring, fd, WAY_PRIVATE, &record);

	begin = now_ns() - begin;
	if (!ret && id_equal(&expected, &record.id))
		return begin;
	if (!ret && !record.id.size && comes_late(self, found))
		return begin;
	diag("%s, not %s", ret ? strerror(-ret) : id_text(&record.id),
	     id_text(&expected));
	return 0;
}

TEST_F_TIMEOUT(hostile, damaged, SECONDS)
{
	uint64_t time, longest = 0, with_id = 0;
	int i, fd;

	for (i = 0; i < DAMAGED; i++) {
		struct id id;

		if (!load(self, &self->set.files[i % self->set.nr]))
			continue;
		damage(self);
		id = find_id(self->bytes, self->size);
		fd = store(self);
		ASSERT_LE(0, fd);
		time = check(self, fd, &id);
		close(fd);
		ASSERT_NE(0, time)
			TH_LOG("case %d", i);
		longest = time > longest ? time : longest;
		with_id += !!id.size;
	}
	TH_LOG("%lu with an id, the longest took %lu us", with_id,
	       longest / 1000);
	EXPECT_LT(0, with_id);
	EXPECT_GT(MAP_NS, longest);
}

/* Make as many headers as possible: 2^32 - 1 segments, 2^64 - 1 sections. */
static void make_endless(FIXTURE_DATA(hostile) *self, bool note_loop)
{
	Elf64_Ehdr *ehdr = (void *)self->bytes;
	Elf64_Shdr *first = (void *)(self->bytes + 64);
	size_t i;

	memset(self->bytes, 0, 16 << 20);
	self->size = 16 << 20;
	memcpy(ehdr->e_ident, ELFMAG, SELFMAG);
	ehdr->e_ident[EI_CLASS] = ELFCLASS64;
	ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr->e_type = ET_DYN;
	ehdr->e_phoff = 4096;
	ehdr->e_phnum = PN_XNUM;
	ehdr->e_phentsize = sizeof(Elf64_Phdr);
	ehdr->e_shoff = 64;
	ehdr->e_shnum = 0;
	ehdr->e_shentsize = sizeof(Elf64_Shdr);
	first->sh_size = UINT64_MAX;
	first->sh_info = UINT32_MAX;
	for (i = 4096; note_loop && i + 56 <= self->size; i += 56) {
		Elf64_Phdr *phdr = (void *)(self->bytes + i);

		/* The whole file again and again: notes without a size. */
		phdr->p_type = PT_NOTE;
		phdr->p_offset = 128;
		phdr->p_filesz = UINT64_MAX >> (i % 64);
		phdr->p_align = 4;
	}
}

TEST_F_TIMEOUT(hostile, endless_tables, SECONDS)
{
	struct id none = { 0 };
	uint64_t time;
	int fd, loop;

	for (loop = 0; loop < 2; loop++) {
		make_endless(self, loop);
		none = find_id(self->bytes, self->size);
		EXPECT_EQ(0, none.size);
		fd = store(self);
		ASSERT_LE(0, fd);
		time = check(self, fd, &none);
		close(fd);
		TH_LOG("%lu us", time / 1000);
		EXPECT_NE(0, time);
		EXPECT_GT(MAP_NS, time);
	}
	ASSERT_TRUE(late_settled(self->fd));
	EXPECT_LE(1, ring_fdinfo(self->fd, "late_too_large"));
}

/* Put a note at the beginning of each page; the last note is the id. */
static void make_spread(FIXTURE_DATA(hostile) *self, size_t pages)
{
	const Elf64_Nhdr filler = { .n_namesz = 4, .n_descsz = 4096 - 16 };
	const Elf64_Nhdr id = { .n_namesz = 4, .n_descsz = 20, .n_type = 3 };
	Elf64_Ehdr *ehdr = (void *)self->bytes;
	Elf64_Phdr *phdr = (void *)(ehdr + 1);
	size_t i, at;

	make_endless(self, false);
	ehdr->e_phoff = sizeof(*ehdr);
	ehdr->e_phnum = 1;
	ehdr->e_shoff = 0;
	memset(phdr, 0, sizeof(*phdr));
	phdr->p_type = PT_NOTE;
	phdr->p_offset = 128;
	phdr->p_align = 4;
	for (i = 0, at = 128; i < pages; i++, at += 4096) {
		memcpy(self->bytes + at, i + 1 < pages ? &filler : &id, 12);
		memcpy(self->bytes + at + 12, "GNU", 4);
	}
	at += 36 - 4096;
	memset(self->bytes + at - 20, 0x5a, 20);
	phdr->p_filesz = at - 128;
	self->size = at;
}

static int drop(int fd)
{
	if (fsync(fd))
		return -errno;
	drop_file(fd);
	return 0;
}

/*
 * The pages that are read with mmap_lock held are bounded, because other tasks wait
 * for them.
 */
TEST_F_TIMEOUT(hostile, bounded_reads, SECONDS)
{
	struct map_record record;
	struct id id;
	int fd, fills;

	make_spread(self, SPREAD_PAGES);
	id = find_id(self->bytes, self->size);
	ASSERT_EQ(20, id.size);
	fd = store(self);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, drop(fd));
	fills = fills_open();
	ASSERT_LE(0, fills);
	ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE, &record));
	EXPECT_EQ(variant->fs == FS_TMPFS ? 0 : PA_IDS_MAX_MISSES,
		  fills_read(fills));
	EXPECT_EQ(0, record.id.size);
	EXPECT_TRUE(comes_late(self, &id));
	EXPECT_EQ(1, ids_result(self->fd, PERFAUX_ID_DEFERRED));
	close(fills);
	close(fd);
}

/* If the file is in memory, more of it is looked at, but not all. */
TEST_F_TIMEOUT(hostile, bounded_pages, SECONDS)
{
	struct map_record record;
	size_t pages;
	struct id id;
	int fd;

	for (pages = PA_IDS_MAX_PAGES - 1; pages <= PA_IDS_MAX_PAGES + 1; pages++) {
		make_spread(self, pages);
		id = find_id(self->bytes, self->size);
		fd = store(self);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, map_and_read(&self->ring, fd, WAY_PRIVATE, &record));
		EXPECT_EQ(pages <= PA_IDS_MAX_PAGES ? 20 : 0, record.id.size)
			TH_LOG("%zu pages", pages);
		close(fd);
	}
	EXPECT_TRUE(comes_late(self, &id));
}

static void map_it_fn(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;

	_exit(map_path(self->path, WAY_PRIVATE) ? 1 : 0);
}

/* Return the longest of all reads of the child's /proc/PID/cmdline, in ns. */
static uint64_t longest_wait(pid_t pid)
{
	uint64_t longest = 0, begin, end = now_ns();
	char path[64], text[64];
	siginfo_t info = { 0 };

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	while (!waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
	       !info.si_pid) {
		begin = end;
		file_read(path, text, sizeof(text));
		end = now_ns();
		longest = end - begin > longest ? end - begin : longest;
	}
	return longest;
}

/* Return the time for as many reads as may be done with mmap_lock held, in ns. */
static uint64_t time_of_reads(int fd)
{
	uint64_t begin = now_ns();
	char page[4096];
	int i;

	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	for (i = 0; i < PA_IDS_MAX_MISSES; i++)
		if (pread(fd, page, sizeof(page), (SPREAD_PAGES / 2 + 64 * i) * 4096L) < 0)
			return 0;
	return now_ns() - begin;
}

/*
 * Return the longest wait for a task that maps a cold file, in ns; UINT64_MAX is an
 * error.
 */
static uint64_t wait_for_map(FIXTURE_DATA(hostile) *self, int fd)
{
	struct child child;
	uint64_t wait;

	if (drop(fd) || child_start(&child, map_it_fn, self))
		return UINT64_MAX;
	if (map_ring_open(&self->ring, child.pid))
		return UINT64_MAX;
	child_go(&child);
	wait = longest_wait(child.pid);
	if (child_wait(&child))
		wait = UINT64_MAX;
	map_ring_close(&self->ring);
	return late_settled(self->fd) ? wait : UINT64_MAX;
}

/*
 * Readers of the process's files in /proc do not wait long, wherever the pages come
 * from.
 */
TEST_F_TIMEOUT(hostile, readers_wait, SECONDS)
{
	uint64_t wait, limit, least = UINT64_MAX;
	int fd, i;

	map_ring_close(&self->ring);
	make_spread(self, SPREAD_PAGES);
	for (i = 0; i < TRIES && least > WAIT_NS; i++) {
		fd = store(self);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, drop(fd));
		limit = time_of_reads(fd);
		wait = wait_for_map(self, fd);
		ASSERT_NE(UINT64_MAX, wait);
		TH_LOG("%lu us, %d reads take %lu us", wait / 1000,
		       PA_IDS_MAX_MISSES, limit / 1000);
		wait -= wait > limit ? limit : wait;
		least = wait < least ? wait : least;
		close(fd);
	}
	EXPECT_GT(WAIT_NS, least);
}

#define CONFIGFS	"/sys/kernel/config"
#define SLOW		CONFIGFS "/nullb/nullb0"

/* Fewer pages are read if the disk takes some milliseconds for each. */
TEST_F_TIMEOUT(hostile, slow_disk, SECONDS)
{
	uint64_t wait, least = UINT64_MAX;
	int fd, i;

	if (variant->fs != FS_EXT4)
		return;
	run("modprobe -q null_blk nr_devices=0 || true");
	if (access("/sys/module/null_blk", F_OK))
		SKIP(return, "this kernel has no null_blk");
	ASSERT_EQ(0, run("mountpoint -q " CONFIGFS " || mount -t configfs none " CONFIGFS));
	ASSERT_EQ(0, run("mkdir " SLOW " && cd " SLOW " && echo 64 >size && echo 1 >memory_backed && echo 2 >irqmode && echo %d >completion_nsec && echo 1 >power",
			 SLOW_NS));
	ASSERT_EQ(0, run("mkfs.ext4 -q -F /dev/nullb0 && mount /dev/nullb0 %s", self->tree.dir));
	map_ring_close(&self->ring);
	make_spread(self, SPREAD_PAGES);
	/* Without the bound: is the disk slow enough for the test to tell anything? */
	fd = store(self);
	ASSERT_LE(0, fd);
	wait = wait_for_map(self, fd);
	close(fd);
	TH_LOG("%lu us without the bound", wait / 1000);
	ASSERT_NE(UINT64_MAX, wait);
	EXPECT_LT(WAIT_NS, wait);
	ASSERT_EQ(0, ids_insert(PA_IDS_DISK_US));
	for (i = 0; i < TRIES && least > WAIT_NS; i++) {
		/* The worker reads the file of the last try from the same disk. */
		while (ring_fdinfo(self->fd, "pending"))
			sched_yield();
		/* The file is new, so its id is not known. */
		fd = store(self);
		ASSERT_LE(0, fd);
		wait = wait_for_map(self, fd);
		ASSERT_NE(UINT64_MAX, wait);
		close(fd);
		TH_LOG("%lu us, a read takes %d us", wait / 1000, SLOW_NS / 1000);
		least = wait < least ? wait : least;
	}
	EXPECT_GT(WAIT_NS, least);
	/* The wait included the disk. */
	EXPECT_LE(SLOW_NS, least);
	EXPECT_EQ(i + 1, ids_result(self->fd, PERFAUX_ID_DEFERRED));
	ASSERT_EQ(0, run("umount %s && rmdir " SLOW, self->tree.dir));
}

/* Truncate the file and write it again, as fast as possible. */
static void cut_fn(void *arg)
{
	FIXTURE_DATA(hostile) *self = arg;
	struct rnd rnd = { .state = self->rnd.state + 1 };
	int fd = open(self->path, O_WRONLY | O_CLOEXEC);

	for (;;) {
		/* Often truncate the file in its first page, which has the id. */
		size_t to = rnd_below(&rnd, rnd_next(&rnd) % 2 ? 1024 :
				      self->size);

		if (ftruncate(fd, to) ||
		    pwrite(fd, self->bytes + to, self->size - to, to) < 0)
			_exit(1);
	}
}

TEST_F_TIMEOUT(hostile, cut_while_mapped, SECONDS)
{
	const struct elf_file *file = elf_set_find(&self->set, "lib.so");
	uint64_t found = 0, missing = 0, wrong = 0, end;
	struct map_record record;
	struct child child;
	int i, fd;

	ASSERT_TRUE(load(self, file));
	fd = store(self);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, child_start(&child, cut_fn, self));
	child_go(&child);
	end = now_ns() + 20000000000ULL;
	for (i = 0; i < CUTS || !missing || !found; i++) {
		ASSERT_EQ(0, map_and_read(&self->ring, fd, i % NR_WAYS,
					  &record));
		if (!record.id.size)
			missing++;
		else if (id_equal(&file->id, &record.id))
			found++;
		else
			wrong++;
		if (now_ns() > end)
			break;
	}
	EXPECT_EQ(0, waitpid(child.pid, NULL, WNOHANG));
	child_kill(&child);
	TH_LOG("%lu with the id, %lu without", found, missing);
	/* Zeros in place of a note that is being written are no id. */
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, found);
	EXPECT_LT(0, missing);
	/* When the file is whole again: */
	close(fd);
	fd = store(self);
	EXPECT_NE(0, check(self, fd, &file->id));
	close(fd);
}

TEST_HARNESS_MAIN
