// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finding functions of ELF files by name, and listing their names.
 */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/symbol.h"
#include "base/util.h"

/* A symbol of the wanted name. A file can have several, in any order. */
struct place {
	struct symbol sym;
	size_t order;		/* in the file */
};

struct found {
	struct place *list;
	size_t nr;
};

/* Called for each function. Return 0, or an error that ends the search. */
typedef int (*each_fn)(void *ctx, Elf *elf, const GElf_Sym *sym, const char *name);

struct wanted {
	const char *name;
	struct found *found;
};

/*
 * Translate an address to an offset in the file, by the ELF program headers. Set @code if programs
 * can execute what is there.
 */
static bool to_offset(Elf *elf, __u64 address, __u64 *offset, bool *code)
{
	size_t nr, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD ||
		    address < ph.p_vaddr || address - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = address - ph.p_vaddr + ph.p_offset;
		*code = ph.p_flags & PF_X;
		return true;
	}
	return false;
}

static int add(void *ctx, Elf *elf, const GElf_Sym *sym, const char *name)
{
	const struct wanted *wanted = ctx;
	struct found *found = wanted->found;
	struct symbol place = {
		.size = sym->st_size,
		.indirect = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
	};

	if (strcmp(name, wanted->name) ||
	    !to_offset(elf, sym->st_value, &place.offset, &place.code))
		return 0;
	if (grow((void **)&found->list, found->nr, sizeof(*found->list)))
		return -ENOMEM;
	found->list[found->nr] = (struct place){ place, found->nr };
	found->nr++;
	return 0;
}

static int add_name(void *ctx, Elf *elf, const GElf_Sym *sym, const char *name)
{
	(void)elf;
	(void)sym;
	return names_add(ctx, name);
}

static int search_table(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, each_fn each, void *ctx)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t i, nr = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0;
	const char *name;
	GElf_Sym sym;
	int err = 0;

	for (i = 0; !err && i < nr; i++) {
		if (!gelf_getsym(data, i, &sym) || sym.st_shndx == SHN_UNDEF)
			continue;
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		    GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC &&
		    GELF_ST_TYPE(sym.st_info) != STT_NOTYPE)
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name)
			err = each(ctx, elf, &sym, name);
	}
	return err;
}

static int by_offset(const void *a, const void *b)
{
	const struct place *l = a, *r = b;

	if (l->sym.offset != r->sym.offset)
		return l->sym.offset < r->sym.offset ? -1 : 1;
	return l->order < r->order ? -1 : l->order > r->order;
}

/* Sort by offset. Keep the first of several symbols (of .symtab and .dynsym) at one offset. */
static void sort(struct found *found)
{
	size_t i, nr = 0;

	if (!found->nr)
		return;
	qsort(found->list, found->nr, sizeof(*found->list), by_offset);
	for (i = 1; i < found->nr; i++)
		if (found->list[i].sym.offset != found->list[nr].sym.offset)
			found->list[++nr] = found->list[i];
	found->nr = nr + 1;
}

static int search(const char *path, each_fn each, void *ctx)
{
	Elf_Scn *scn = NULL;
	int err = 0, fd;
	GElf_Shdr sh;
	Elf *elf;

	/* O_NONBLOCK: do not wait for the writer of a FIFO, which is no ELF file. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		err = -ENOEXEC;
	while (!err && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_SYMTAB ||
					       sh.sh_type == SHT_DYNSYM))
			err = search_table(elf, scn, &sh, each, ctx);
	elf_end(elf);
	close(fd);
	return err;
}

int symbol_find(const char *path, const char *name, unsigned int index,
		struct symbol *sym, unsigned int *nr)
{
	struct found found = { 0 };
	struct wanted wanted = { name, &found };
	int err = search(path, add, &wanted);

	sort(&found);
	*nr = found.nr;
	if (!err && (index ? index > found.nr : found.nr != 1))
		err = -ESRCH;
	if (!err)
		*sym = found.list[index ? index - 1 : 0].sym;
	free(found.list);
	return err;
}

int symbol_names(const char *path, struct names *names)
{
	return search(path, add_name, names);
}
