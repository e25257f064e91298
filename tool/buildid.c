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

struct cached {
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
	bool used;
	struct build_id id;
};

static struct cached *cache;
static size_t cached_nr;

static int note_id(Elf_Data *data, struct build_id *id)
{
	size_t pos = 0, name_at, desc_at;
	GElf_Nhdr nhdr;

	while (data && (pos = gelf_getnote(data, pos, &nhdr, &name_at,
					   &desc_at)) > 0) {
		if (nhdr.n_type != NT_GNU_BUILD_ID || nhdr.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name_at, "GNU", 4) ||
		    !nhdr.n_descsz || nhdr.n_descsz > BUILD_ID_MAX)
			continue;
		id->size = nhdr.n_descsz;
		memcpy(id->id, (char *)data->d_buf + desc_at, nhdr.n_descsz);
		return 0;
	}
	return -ENOENT;
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
							  ELF_T_NHDR), id))
				return 0;
		}
	}
	/* Relocatable files (kernel modules) have sections only. */
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE &&
		    !note_id(elf_getdata(scn, NULL), id))
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
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
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

/* Name, descriptor and the next note begin at multiples of 4. */
static int parse_notes(const void *data, size_t len, struct build_id *id)
{
	const __u8 *p = data;

	while (len >= sizeof(GElf_Nhdr)) {
		GElf_Nhdr n;
		size_t desc_at, all;

		memcpy(&n, p, sizeof(n));
		desc_at = sizeof(n) + ALIGN_UP((size_t)n.n_namesz, 4);
		all = desc_at + ALIGN_UP((size_t)n.n_descsz, 4);
		if (all > len)
			break;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    !memcmp(p + sizeof(n), "GNU", 4) && n.n_descsz &&
		    n.n_descsz <= BUILD_ID_MAX) {
			id->size = n.n_descsz;
			memcpy(id->id, p + desc_at, n.n_descsz);
			return 0;
		}
		p += all;
		len -= all;
	}
	return -ENOENT;
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
	err = parse_notes(data, len, id);
	free(data);
	return err;
}

int build_id_vdso(struct build_id *id, size_t *map_len)
{
	const __u8 *base = (void *)getauxval(AT_SYSINFO_EHDR);
	unsigned long start, end;
	char line[512];
	Elf *elf;
	FILE *f;
	int err;

	memset(id, 0, sizeof(*id));
	*map_len = 0;
	f = base ? fopen("/proc/self/maps", "re") : NULL;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 &&
		    start == (unsigned long)base)
			*map_len = end - start;
	}
	if (f)
		fclose(f);
	if (!*map_len)
		return -ENOENT;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)base, *map_len);
	err = elf ? elf_id(elf, id) : -ENOEXEC;
	elf_end(elf);
	return err;
}

void build_id_cache_free(void)
{
	free(cache);
	cache = NULL;
	cached_nr = 0;
}
