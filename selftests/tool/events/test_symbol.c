// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/event/symbol.c: functions by name, in files with any number of them.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>

#include "kselftest_harness.h"
#include "event/symbol.h"

#define TEXT_ADDRESS	0x400000
#define TEXT_OFFSET	0x1000
#define TEXT_SIZE	0x1000000
#define BSS_SIZE	0x1000
#define MANY		1000000

/* The names as they are in the file: no name, "f" and "g" */
static const char names[] = "\0f\0g";

enum { NO_NAME, NAME_F, NAME_G = 3 };
enum { NO_SECTION, STRINGS, TABLE, DYNAMIC, NR_SECTIONS };

struct file {
	Elf64_Ehdr ehdr;
	Elf64_Phdr text;
	Elf64_Shdr section[NR_SECTIONS];
	char names[8];
	Elf64_Sym sym[];	/* the symbols of both tables */
};

FIXTURE(symbol) {
	struct file *file;
	size_t size;
	size_t nr;
	char path[64];
};

FIXTURE_SETUP(symbol)
{
	self->size = sizeof(*self->file) + MANY * sizeof(*self->file->sym);
	self->file = calloc(1, self->size);
	ASSERT_NE(NULL, self->file);
	sprintf(self->path, "/tmp/perfaux-symbol.%d", getpid());
}

FIXTURE_TEARDOWN(symbol)
{
	free(self->file);
	unlink(self->path);
}

static void add(FIXTURE_DATA(symbol) *self, unsigned int name, size_t at, size_t size)
{
	Elf64_Sym *sym = &self->file->sym[self->nr++];

	sym->st_name = name;
	sym->st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	sym->st_shndx = TABLE;
	sym->st_value = TEXT_ADDRESS + at;
	sym->st_size = size;
}

static Elf64_Shdr table(unsigned int type, size_t begin, size_t end)
{
	return (Elf64_Shdr){
		.sh_type = type, .sh_link = STRINGS, .sh_entsize = sizeof(Elf64_Sym),
		.sh_offset = offsetof(struct file, sym) + begin * sizeof(Elf64_Sym),
		.sh_size = (end - begin) * sizeof(Elf64_Sym), .sh_addralign = 8,
	};
}

/* Write the file: the first @nr symbols are in the symbol table, the rest in the dynamic one. */
static int put(FIXTURE_DATA(symbol) *self, size_t nr)
{
	struct file *f = self->file;
	FILE *to = fopen(self->path, "w");
	bool ok;

	f->ehdr = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
		.e_ehsize = sizeof(f->ehdr), .e_phentsize = sizeof(f->text), .e_phnum = 1,
		.e_phoff = offsetof(struct file, text), .e_shentsize = sizeof(*f->section),
		.e_shnum = NR_SECTIONS, .e_shoff = offsetof(struct file, section),
		.e_shstrndx = STRINGS,
	};
	f->text = (Elf64_Phdr){
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = TEXT_OFFSET,
		.p_vaddr = TEXT_ADDRESS, .p_filesz = TEXT_SIZE, .p_memsz = TEXT_SIZE + BSS_SIZE,
	};
	memcpy(f->names, names, sizeof(names));
	f->section[STRINGS] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = offsetof(struct file, names),
		.sh_size = sizeof(f->names), .sh_addralign = 1,
	};
	f->section[TABLE] = table(SHT_SYMTAB, 0, nr);
	f->section[DYNAMIC] = table(SHT_DYNSYM, nr, self->nr);
	ok = to && fwrite(f, offsetof(struct file, sym) + self->nr * sizeof(*f->sym), 1, to) == 1;
	return (to && fclose(to)) || !ok;
}

/* Each function is found by its number, in order of address, in no more time than sorting takes. */
TEST_F(symbol, million)
{
	static const unsigned int which[] = { 1, 2, 77777, MANY - 1, MANY };
	struct symbol sym = { 0 };
	unsigned int nr = 0;
	size_t i;

	/* 7 and MANY have no common factor, so each place comes once. */
	for (i = 0; i < MANY; i++)
		add(self, NAME_F, i * 7 % MANY * 16, 16);
	ASSERT_EQ(0, put(self, MANY / 2));
	EXPECT_EQ(-ESRCH, symbol_find(self->path, "f", 0, &sym, &nr));
	EXPECT_EQ(MANY, nr);
	for (i = 0; i < ARRAY_SIZE(which); i++) {
		EXPECT_EQ(0, symbol_find(self->path, "f", which[i], &sym, &nr));
		EXPECT_EQ(TEXT_OFFSET + (which[i] - 1) * 16, sym.offset);
	}
	EXPECT_EQ(-ESRCH, symbol_find(self->path, "f", MANY + 1, &sym, &nr));
	EXPECT_EQ(-ESRCH, symbol_find(self->path, "g", 0, &sym, &nr));
	EXPECT_EQ(0, nr);
}

/* A place that is in both tables counts once, with the size from the first table. */
TEST_F(symbol, in_both_tables)
{
	struct symbol sym = { 0 };
	unsigned int nr = 0;

	add(self, NAME_G, 0x40, 1);
	add(self, NAME_F, 0x80, 0x20);
	add(self, NAME_F, 0x80, 0x30);
	ASSERT_EQ(0, put(self, 2));
	EXPECT_EQ(0, symbol_find(self->path, "f", 0, &sym, &nr));
	EXPECT_EQ(1, nr);
	EXPECT_EQ(TEXT_OFFSET + 0x80, sym.offset);
	EXPECT_EQ(0x20, sym.size);
}

/* A symbol outside the segments, or in the zeroed part, is nowhere in the file. */
TEST_F(symbol, outside)
{
	struct symbol sym = { 0 };
	unsigned int nr = 0;

	add(self, NAME_F, TEXT_SIZE, 16);
	add(self, NAME_F, TEXT_SIZE + BSS_SIZE, 16);
	add(self, NAME_F, -TEXT_ADDRESS, 16);
	ASSERT_EQ(0, put(self, 1));
	EXPECT_EQ(-ESRCH, symbol_find(self->path, "f", 0, &sym, &nr));
	EXPECT_EQ(0, nr);
}

TEST_F(symbol, no_elf_file)
{
	struct symbol sym = { 0 };
	unsigned int nr = 0;

	EXPECT_EQ(-ENOENT, symbol_find(self->path, "f", 0, &sym, &nr));
	EXPECT_EQ(-ENOEXEC, symbol_find("/", "f", 0, &sym, &nr));
	EXPECT_EQ(-ENOEXEC, symbol_find("/dev/null", "f", 0, &sym, &nr));
	ASSERT_EQ(0, mkfifo(self->path, 0600));
	EXPECT_EQ(-ENOEXEC, symbol_find(self->path, "f", 0, &sym, &nr));
}

TEST_HARNESS_MAIN
