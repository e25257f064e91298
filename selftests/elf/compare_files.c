// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare_files [-v] PATH...: compare the build-ids that pa_elf_id() and libelf
 * find in all ELF files below each PATH. Prints TAP with one test per PATH. -v
 * prints each file with its id.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ids/elf_id.h"

struct file_reader {
	struct pa_elf_reader reader;
	int fd;
	u32 reads;
};

static u32 nr_files, nr_ids, nr_differ, most_reads;
static bool verbose;

static int read_file(struct pa_elf_reader *reader, u64 offset, void *buf,
		     u32 len)
{
	struct file_reader *file = (struct file_reader *)reader;

	file->reads++;
	return pread(file->fd, buf, len, offset) == (ssize_t)len ? 0 : -EIO;
}

/* Find the first id in [offset, offset + size) with libelf. Return 1 if there is one. */
static int walk(Elf *elf, u64 offset, u64 size, u64 align, struct pa_elf_id *id)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, offset, size, align == 8 ?
					      ELF_T_NHDR8 : ELF_T_NHDR);
	size_t next = 0, name, desc;
	GElf_Nhdr note;

	while (data) {
		next = gelf_getnote(data, next, &note, &name, &desc);
		if (!next)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) ||
		    !note.n_descsz)
			continue;
		id->size = note.n_descsz < PA_ELF_ID_MAX ? note.n_descsz :
							   PA_ELF_ID_MAX;
		memcpy(id->data, (char *)data->d_buf + desc, id->size);
		return 1;
	}
	return 0;
}

static int segments(Elf *elf, struct pa_elf_id *id)
{
	GElf_Phdr phdr;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_NOTE &&
		    walk(elf, phdr.p_offset, phdr.p_filesz, phdr.p_align, id))
			return 1;
	}
	return 0;
}

static int sections(Elf *elf, struct pa_elf_id *id)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section))) {
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == SHT_NOTE &&
		    walk(elf, shdr.sh_offset, shdr.sh_size, shdr.sh_addralign, id))
			return 1;
	}
	return 0;
}

static void libelf_id(int fd, struct pa_elf_id *id)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);

	memset(id, 0, sizeof(*id));
	if (elf && elf_kind(elf) == ELF_K_ELF && !segments(elf, id))
		sections(elf, id);
	elf_end(elf);
}

static void print_id(const char *path, const char *what, int ret,
		     const struct pa_elf_id *id)
{
	printf("# %s %s: %d ", path, what, ret);
	for (u32 i = 0; i < id->size; i++)
		printf("%02x", id->data[i]);
	putchar('\n');
}

static void compare(const char *path, int fd, u64 size)
{
	struct file_reader file = {
		.reader = { .read = read_file, .size = size },
		.fd = fd,
	};
	struct pa_elf_id ours, theirs;
	int ret = pa_elf_id(&file.reader, &ours);

	libelf_id(fd, &theirs);
	nr_files++;
	nr_ids += !ret;
	if (most_reads < file.reads)
		most_reads = file.reads;
	if (verbose)
		print_id(path, "id", ret, &ours);
	if (ret < 0 || !ret != !!theirs.size || memcmp(&ours, &theirs, sizeof(ours))) {
		nr_differ++;
		print_id(path, "ours", ret, &ours);
		print_id(path, "libelf's", 0, &theirs);
	}
}

static int visit(const char *path, const struct stat *st, int type,
		 struct FTW *ftw)
{
	char magic[SELFMAG];
	int fd;

	(void)ftw;
	if (type != FTW_F || !S_ISREG(st->st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (pread(fd, magic, SELFMAG, 0) == SELFMAG &&
	    !memcmp(magic, ELFMAG, SELFMAG))
		compare(path, fd, st->st_size);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0, nr = 0;

	if (elf_version(EV_CURRENT) == EV_NONE)
		errx(2, "libelf: %s", elf_errmsg(-1));
	verbose = argc > 1 && !strcmp(argv[1], "-v");
	puts("TAP version 13");
	for (int i = 1 + verbose; i < argc; i++) {
		nr_files = 0;
		nr_ids = 0;
		nr_differ = 0;
		nftw(argv[i], visit, 32, FTW_PHYS);
		failed += nr_differ;
		printf("%sok %d - %s: %u ELF files, %u ids, %u differ%s\n",
		       nr_differ ? "not " : "", ++nr, argv[i], nr_files, nr_ids,
		       nr_differ, nr_files ? "" : " # SKIP none there");
		fflush(stdout);
	}
	printf("# at most %u reads for a file\n1..%d\n", most_reads, nr);
	return failed > 0;
}
