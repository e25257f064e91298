// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build-ids: of files by libelf, of the kernel and its modules from sysfs.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buildid.h"
#include "util.h"

/* Files are few compared with their mappings; more than this are not kept. */
#define CACHE_SIZE	4096
#define CACHE_MAX	(CACHE_SIZE * 3 / 4)
/* Far more than any vdso; it is read as a whole. */
#define VDSO_MAX	(1U << 18)

struct cached {
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
	bool used;
	struct build_id id;
};

static struct cached *cache;
static size_t cached_nr;

/* What is longer than a record has room for is cut, as the module does it. */
static void set_id(struct build_id *id, const void *desc, size_t size)
{
	id->is_long = size > BUILD_ID_MAX;
	id->size = id->is_long ? BUILD_ID_MAX : size;
	memcpy(id->id, desc, id->size);
}

/*
 * Name, descriptor and the next note begin at multiples of @align; but nothing
 * needs to follow the last descriptor, gelf_getnote() wants its padding.
 */
static int find_note(const void *data, size_t len, size_t align,
		     struct build_id *id)
{
	const __u8 *p = data;

	while (len >= sizeof(GElf_Nhdr)) {
		GElf_Nhdr n;
		size_t desc_at, end, all;

		memcpy(&n, p, sizeof(n));
		desc_at = ALIGN_UP(sizeof(n) + (size_t)n.n_namesz, align);
		end = desc_at + n.n_descsz;
		if (end > len)
			break;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(p + sizeof(n), "GNU", 4) && n.n_descsz) {
			set_id(id, p + desc_at, n.n_descsz);
			return 0;
		}
		all = ALIGN_UP(end, align);
		if (all > len)
			break;
		p += all;
		len -= all;
	}
	return -ENOENT;
}

static int note_id(Elf_Data *data, size_t align, struct build_id *id)
{
	if (!data || !data->d_buf)
		return -ENOENT;
	return find_note(data->d_buf, data->d_size, align == 8 ? 8 : 4, id);
}

/* By program headers first: they are what the kernel and loaders use. */
static int elf_id(Elf *elf, struct build_id *id)
{
	Elf_Scn *scn = NULL;
	size_t nr, i;

	if (!elf_getphdrnum(elf, &nr)) {
		for (i = 0; i < nr; i++) {
			GElf_Phdr ph;

			if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_NOTE)
				continue;
			if (!note_id(elf_getdata_rawchunk(elf, ph.p_offset,
							  ph.p_filesz,
							  ph.p_align == 8 ?
							  ELF_T_NHDR8 :
							  ELF_T_NHDR),
				     ph.p_align, id))
				return 0;
		}
	}
	/* Relocatable files (kernel modules) have sections only. */
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		    !note_id(elf_getdata(scn, NULL), sh.sh_addralign, id))
			return 0;
	}
	return -ENOENT;
}

static int read_file_id(const char *path, struct build_id *id)
{
	int err = -ENOEXEC;
	Elf *elf;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	/* Not mapped: its owner may cut it off meanwhile, and we would get SIGBUS. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		err = elf_id(elf, id);
	elf_end(elf);
	close(fd);
	return err;
}

static struct cached *find(const struct stat *st)
{
	size_t i = (st->st_ino * 2654435761U ^ st->st_dev) % CACHE_SIZE;

	if (!cache)
		cache = calloc(CACHE_SIZE, sizeof(*cache));
	while (cache && cache[i].used &&
	       (cache[i].ino != st->st_ino || cache[i].dev != st->st_dev ||
		cache[i].mtime.tv_sec != st->st_mtim.tv_sec ||
		cache[i].mtime.tv_nsec != st->st_mtim.tv_nsec))
		i = (i + 1) % CACHE_SIZE;
	return cache ? &cache[i] : NULL;
}

int build_id_file(const char *path, struct build_id *id, struct stat *st)
{
	struct cached *c;
	struct stat own;
	int err;

	memset(id, 0, sizeof(*id));
	if (!st)
		st = &own;
	if (stat(path, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -ENOEXEC;

	c = find(st);
	if (c && c->used) {
		*id = c->id;
		return id->size ? 0 : -ENOENT;
	}
	err = read_file_id(path, id);
	if (c && cached_nr < CACHE_MAX && err != -EACCES) {
		cached_nr++;
		*c = (struct cached){
			.dev = st->st_dev, .ino = st->st_ino,
			.mtime = st->st_mtim, .used = true, .id = *id,
		};
	}
	return err;
}

int build_id_notes(const char *path, struct build_id *id)
{
	char *data;
	size_t len;
	int err;

	memset(id, 0, sizeof(*id));
	err = slurp(path, &data, &len);
	if (err)
		return err;
	err = find_note(data, len, 4, id);
	free(data);
	return err;
}

static int image_id(const void *image, size_t len, struct build_id *id)
{
	Elf *elf;
	int err;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image, len);
	err = elf ? elf_id(elf, id) : -ENOEXEC;
	elf_end(elf);
	return err;
}

/* The end of our own vdso, 0: there is none. */
static unsigned long own_vdso_end(unsigned long base)
{
	unsigned long start, end, found = 0;
	char line[512];
	FILE *f;

	f = base ? fopen("/proc/self/maps", "re") : NULL;
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == base)
			found = end;
	if (f)
		fclose(f);
	return found;
}

static int own_vdso_id(unsigned long long start, size_t len,
		       struct build_id *id)
{
	const unsigned long base = getauxval(AT_SYSINFO_EHDR);
	const unsigned long end = own_vdso_end(base);

	/* Programs of another word size have another one, of any size. */
	if (!end || end - base != len || !(start >> 32) != !((__u64)base >> 32))
		return -ENOENT;
	return image_id((void *)base, len, id);
}

int build_id_vdso(pid_t pid, unsigned long long start, size_t len,
		  struct build_id *id)
{
	ssize_t n = -1;
	char path[64];
	void *image;
	int fd, err;

	memset(id, 0, sizeof(*id));
	if (len > VDSO_MAX)
		return -EFBIG;
	image = malloc(len);
	if (!image)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = pread(fd, image, len, start);
		close(fd);
	}
	/* To read it takes more rights than to know where it is. */
	if (n == (ssize_t)len)
		err = image_id(image, len, id);
	else
		err = own_vdso_id(start, len, id);
	free(image);
	return err;
}

void build_id_cache_free(void)
{
	free(cache);
	cache = NULL;
	cached_nr = 0;
}
