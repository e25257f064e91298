// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the symbols of functions from an ELF file, its debug file, or the kallsyms of --kcore.
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/code/find.h"
#include "view/code/functions.h"
#include "view/code/object.h"

/* The order in which perf chooses among names of one address: sized, strong, global, plain */
static __u8 rank_of(const GElf_Sym *sym, const char *name)
{
	const int bind = GELF_ST_BIND(sym->st_info);
	unsigned int lines = strspn(name, "_");

	if (lines > 7)
		lines = 7;
	return (sym->st_size > 0) << 6 | (bind != STB_WEAK) << 5 | (bind != STB_LOCAL) << 4 |
	       (7 - lines) << 1;
}

/* Return 1 if the section has symbols of functions, 0 if it has none, or -ENOMEM. */
static int read_section(struct functions *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t i, nr = head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
	int found = 0;
	GElf_Sym sym;

	for (i = 0; data && i < nr && gelf_getsym(data, i, &sym); i++) {
		const int type = GELF_ST_TYPE(sym.st_info);
		const char *name = elf_strptr(elf, head->sh_link, sym.st_name);

		if (sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS || !name || !*name)
			continue;
		/* Assembler code has symbols without a type: _start in some files. */
		if (type != STT_FUNC && type != STT_GNU_IFUNC &&
		    !(type == STT_NOTYPE && GELF_ST_BIND(sym.st_info) == STB_GLOBAL &&
		      sym.st_size))
			continue;
		if (functions_add(f, &(struct function_symbol) {
				sym.st_value, sym.st_value + sym.st_size, name,
				rank_of(&sym, name) }))
			return -ENOMEM;
		found = 1;
	}
	return found;
}

/* Read all symbol tables of a kind. Return as read_section(). */
static int read_tables(struct functions *f, Elf *elf, __u32 type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;
	int found = 0, rc;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &head) || head.sh_type != type)
			continue;
		rc = read_section(f, elf, section, &head);
		if (rc < 0)
			return rc;
		found |= rc;
	}
	return found;
}

static const char *debug_link(Elf *elf)
{
	Elf_Scn *section = NULL;
	const char *name;
	size_t names;
	GElf_Shdr head;
	Elf_Data *data;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &head))
			continue;
		name = elf_strptr(elf, names, head.sh_name);
		if (!name || strcmp(name, ".gnu_debuglink"))
			continue;
		data = elf_getdata(section, NULL);
		return data && data->d_size && memchr(data->d_buf, 0, data->d_size) ?
		       data->d_buf : NULL;
	}
	return NULL;
}

/* The full symbols of a file that was stripped */
static int read_debug(struct functions *f)
{
	__u8 id[OBJECT_ID_MAX];
	const size_t size = find_id(f->elf, id);
	char *path = find_debug_file(f->object, id, size, debug_link(f->elf));

	f->debug = path ? find_open(path) : NULL;
	free(path);
	return f->debug ? read_tables(f, f->debug, SHT_SYMTAB) : 0;
}

static int read_segments(struct functions *f)
{
	size_t nr = 0, i;
	GElf_Phdr p;

	if (elf_getphdrnum(f->elf, &nr))
		return 0;
	f->segments = calloc(nr + 1, sizeof(*f->segments));
	if (!f->segments)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		if (gelf_getphdr(f->elf, i, &p) && p.p_type == PT_LOAD)
			f->segments[f->nr_segments++] = (struct functions_segment) {
				p.p_offset, p.p_filesz, p.p_vaddr };
	return 0;
}

static int read_elf(struct functions *f)
{
	int rc;

	f->elf = find_open(f->object->file);
	if (!f->elf)
		return 0;
	rc = read_segments(f);
	if (rc)
		return rc;
	rc = read_tables(f, f->elf, SHT_SYMTAB);
	if (!rc)
		rc = read_debug(f);
	/* Programs without a symbol table still have the names that they export. */
	if (!rc)
		rc = read_tables(f, f->elf, SHT_DYNSYM);
	return rc < 0 ? rc : functions_add_plt(f);
}

/* A line of kallsyms: ADDRESS TYPE NAME [MODULE] */
static int add_kallsyms(struct functions *f)
{
	char *line, *rest = f->text, *name, *end;
	__u64 address;

	while ((line = strsep(&rest, "\n"))) {
		address = strtoull(line, &end, 16);
		if (!address || end == line || *end != ' ' || !strchr("tTwW", end[1]) ||
		    !end[1] || end[2] != ' ')
			continue;
		name = end + 3;
		name[strcspn(name, "\t ")] = '\0';
		if (functions_add(f, &(struct function_symbol) { address, address, name, 0 }))
			return -ENOMEM;
	}
	return 0;
}

static int read_kernel(struct functions *f)
{
	const struct objects *o = f->object->objects;
	char path[4096];
	size_t len;

	if (o->places.kcore) {
		snprintf(path, sizeof(path), "%s/kallsyms", o->places.kcore);
		slurp(path, &f->text, &len);
	}
	return f->text ? add_kallsyms(f) : 0;
}

struct functions *functions_read(struct object *o)
{
	struct functions *f = calloc(1, sizeof(*f));
	int rc = 0;

	if (!f)
		return NULL;
	f->object = o;
	if (o->kind == OBJECT_KERNEL)
		rc = read_kernel(f);
	else if (o->file)
		rc = read_elf(f);
	if (!rc)
		rc = functions_divide(f);
	if (rc) {
		functions_free(f);
		return NULL;
	}
	return f;
}
