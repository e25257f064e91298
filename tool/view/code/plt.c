// SPDX-License-Identifier: GPL-2.0-only
/*
 * Name the entries of procedure linkage tables: an entry jumps through a slot of the GOT, whose
 * relocation has the name. perf gives the same names: "puts@plt".
 */
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "view/code/functions.h"

#define ENTRY_SIZE	16
/* perf's name of a slot whose function is known at run time only */
#define NO_NAME		"*ABS*+0x%llx@plt"

struct slot {
	__u64 address;		/* in the GOT */
	const char *name;	/* NULL: it is not in the file */
	__u64 function;		/* its address, if there is no name */
};

struct slots {
	struct slot *list;
	size_t nr;
};

static int compare(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int add_slot(struct slots *s, const struct slot *slot)
{
	if (grow((void **)&s->list, s->nr, sizeof(*s->list)))
		return -ENOMEM;
	s->list[s->nr++] = *slot;
	return 0;
}

static const char *symbol_name(Elf *elf, const GElf_Shdr *relocations, size_t number)
{
	Elf_Scn *section = elf_getscn(elf, relocations->sh_link);
	GElf_Shdr head;
	GElf_Sym sym;

	if (!number || !section || !gelf_getshdr(section, &head) ||
	    !gelf_getsym(elf_getdata(section, NULL), number, &sym))
		return NULL;
	return elf_strptr(elf, head.sh_link, sym.st_name);
}

static int read_relocations(Elf *elf, Elf_Scn *section, const GElf_Shdr *head, struct slots *s)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t nr = head->sh_entsize ? head->sh_size / head->sh_entsize : 0;
	GElf_Rela r;
	struct slot slot;
	GElf_Rel rel;
	size_t i;

	for (i = 0; data && i < nr; i++) {
		if (head->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, i, &r))
				break;
		} else {
			if (!gelf_getrel(data, i, &rel))
				break;
			r = (GElf_Rela) { .r_offset = rel.r_offset, .r_info = rel.r_info };
		}
		slot = (struct slot) {
			.address = r.r_offset,
			.name = symbol_name(elf, head, GELF_R_SYM(r.r_info)),
			.function = r.r_addend,
		};
		if (add_slot(s, &slot))
			return -ENOMEM;
	}
	return 0;
}

/* Find the slot through which an entry jumps: [ENDBR] [BND] JMP *slot. Return 0 if it has none. */
static __u64 jump_slot(const __u8 *code, size_t size, __u64 address, int machine)
{
	__s32 value;
	size_t i = 0;

	if (size > 4 && code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e)
		i = 4;
	if (size > i && code[i] == 0xf2)
		i++;
	if (size < i + 6 || code[i] != 0xff || code[i + 1] != 0x25)
		return 0;
	memcpy(&value, code + i + 2, sizeof(value));
	return machine == EM_X86_64 ? address + i + 6 + value : (__u32)value;
}

static int name_entry(struct functions *f, const struct slots *s, __u64 address, __u64 slot)
{
	const struct slot key = { .address = slot };
	const struct slot *found = bsearch(&key, s->list, s->nr, sizeof(*s->list), compare);
	const char *kept;
	char *name;
	int rc;

	if (!found)
		return 0;
	if (found->name && *found->name)
		rc = asprintf(&name, "%s@plt", found->name);
	else
		rc = asprintf(&name, NO_NAME, found->function);
	kept = rc < 0 ? NULL : functions_keep(f, name);
	return kept ? functions_add(f, &(struct function_symbol) {
			address, address + ENTRY_SIZE, kept, 1 }) : -ENOMEM;
}

static int read_plt(struct functions *f, Elf_Scn *section, const GElf_Shdr *head,
		    const struct slots *s, int machine)
{
	Elf_Data *data = elf_getdata(section, NULL);
	/* Entries of .plt.got can have 8 bytes. */
	const size_t step = head->sh_entsize == 8 ? 8 : ENTRY_SIZE;
	size_t i;
	__u64 slot;
	int rc = 0;

	for (i = 0; data && !rc && i + step <= data->d_size; i += step) {
		slot = jump_slot((const __u8 *)data->d_buf + i, step, head->sh_addr + i, machine);
		rc = slot ? name_entry(f, s, head->sh_addr + i, slot) : 0;
	}
	return rc;
}

/* Collect the slots from relocations, or with @tables, name the entries of the tables. */
static int each_section(struct functions *f, struct slots *s, bool tables)
{
	Elf_Scn *section = NULL;
	const char *name;
	GElf_Ehdr file;
	GElf_Shdr head;
	size_t names;
	int rc = 0;

	if (!gelf_getehdr(f->elf, &file) || elf_getshdrstrndx(f->elf, &names))
		return 0;
	while (!rc && (section = elf_nextscn(f->elf, section))) {
		if (!gelf_getshdr(section, &head))
			continue;
		name = elf_strptr(f->elf, names, head.sh_name);
		if (!tables && (head.sh_type == SHT_RELA || head.sh_type == SHT_REL))
			rc = read_relocations(f->elf, section, &head, s);
		else if (tables && name && !strncmp(name, ".plt", 4) &&
			 head.sh_type == SHT_PROGBITS)
			rc = read_plt(f, section, &head, s, file.e_machine);
	}
	return rc;
}

int functions_add_plt(struct functions *f)
{
	struct slots s = { .nr = 0 };
	int rc = each_section(f, &s, false);

	if (!rc && s.nr) {
		qsort(s.list, s.nr, sizeof(*s.list), compare);
		rc = each_section(f, &s, true);
	}
	free(s.list);
	return rc;
}
