// SPDX-License-Identifier: GPL-2.0-only
/* Tests of tool/synth/kernel_range.c, with files like /proc/kallsyms and /proc/iomem */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "synth/kernel_range.h"

/* The first symbols of x86-64 are offsets in the area of a CPU. They begin at 0. */
#define PERCPU	"0000000000000000 A fixed_percpu_data\n" \
		"0000000000001000 A cpu_debug_store\n"
#define TEXT	"ffffffffb6600000 T _stext\n" \
		"ffffffffb6600000 T _text\n" \
		"ffffffffb6600070 T secondary_startup_64\n"
/* Other addresses than those of IOMEM tell which file was used. */
#define ENDS	"ffffffffb7600000 T _etext\n" \
		"ffffffffb8400100 D _edata\n" \
		"ffffffffb9230000 B _end\n"
#define KALLSYMS	PERCPU TEXT ENDS "ffffffffc0000000 t _edata_of_module\t[module]\n"
#define HIDDEN	"0000000000000000 A fixed_percpu_data\n" \
		"0000000000000000 T _stext\n" \
		"0000000000000000 T _text\n"

#define RAM	"00001000-0009fbff : System RAM\n" \
		"00100000-7ffdffff : System RAM\n"
#define CODE	"  62a00000-639fffff : Kernel code\n" \
		"  63a00000-644a7fff : Kernel rodata\n"
#define DATA	"  64600000-64872c7f : Kernel data\n" \
		"  650d6000-655fffff : Kernel bss\n"
#define IOMEM	RAM CODE DATA "fd000000-fdffffff : PCI Bus 0000:00\n"
#define ZEROS	"00000000-00000000 : System RAM\n" \
		"  00000000-00000000 : Kernel code\n" \
		"  00000000-00000000 : Kernel data\n"

#define BEGIN		0xffffffffb6600000ULL
#define END_IOMEM	(BEGIN + 0x64872c80 - 0x62a00000)
#define END_SYMBOLS	0xffffffffb8400100ULL

FIXTURE(kernel_range) {
	struct kernel_range k;
	int kallsyms, iomem;
	char paths[2][32];
};

FIXTURE_SETUP(kernel_range)
{
	self->kallsyms = memfd_create("kallsyms", 0);
	self->iomem = memfd_create("iomem", 0);
	snprintf(self->paths[0], sizeof(self->paths[0]), "/proc/self/fd/%d", self->kallsyms);
	snprintf(self->paths[1], sizeof(self->paths[1]), "/proc/self/fd/%d", self->iomem);
	self->k = (struct kernel_range){ .symbol = "none" };
}

FIXTURE_TEARDOWN(kernel_range)
{
	close(self->kallsyms);
	close(self->iomem);
}

static int find(struct __test_metadata *_metadata, FIXTURE_DATA(kernel_range) *self,
		const char *symbols, const char *resources)
{
	const ssize_t len[2] = { strlen(symbols), strlen(resources) };

	EXPECT_EQ(len[0], pwrite(self->kallsyms, symbols, len[0], 0));
	EXPECT_EQ(len[1], pwrite(self->iomem, resources, len[1], 0));
	return kernel_range_find(&self->k, self->paths[0], self->paths[1]);
}

static void expect(struct __test_metadata *_metadata, const FIXTURE_DATA(kernel_range) *self,
		   const char *symbol, __u64 start, __u64 end)
{
	EXPECT_STREQ(symbol, self->k.symbol);
	EXPECT_EQ(start, self->k.start);
	EXPECT_EQ(end, self->k.end);
}

TEST_F(kernel_range, from_both)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, IOMEM));
	expect(_metadata, self, "_text", BEGIN, END_IOMEM);
}

/* The end of a long file is not read. */
TEST_F(kernel_range, up_to_text)
{
	const off_t hole = 1L << 40;

	ASSERT_EQ(0, ftruncate(self->kallsyms, hole));
	ASSERT_EQ(0, find(_metadata, self, PERCPU TEXT, IOMEM));
	expect(_metadata, self, "_text", BEGIN, END_IOMEM);
}

TEST_F(kernel_range, iomem_hidden)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, ZEROS));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

TEST_F(kernel_range, iomem_empty)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, ""));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

TEST_F(kernel_range, iomem_missing)
{
	strcpy(self->paths[1], "/proc/self/no-iomem");
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, ""));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

TEST_F(kernel_range, no_code)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, RAM DATA));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

TEST_F(kernel_range, no_data)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, RAM CODE));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

/* If a name occurs more than once, nothing tells which range is the running kernel's. */
TEST_F(kernel_range, several)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, RAM CODE CODE DATA));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, RAM CODE DATA DATA));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

TEST_F(kernel_range, data_before_code)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS,
			  "00600000-006fffff : Kernel data\n"
			  "00700000-007fffff : Kernel code\n"));
	expect(_metadata, self, "_text", BEGIN, END_SYMBOLS);
}

TEST_F(kernel_range, other_names)
{
	ASSERT_EQ(0, find(_metadata, self, KALLSYMS, RAM CODE DATA
			  "  65600000-656fffff : Kernel code of another\n"
			  "  65700000-657fffff : Kernel dat\n"));
	expect(_metadata, self, "_text", BEGIN, END_IOMEM);
}

/* Without _text, the distance from _text is of no use. */
TEST_F(kernel_range, stext)
{
	ASSERT_EQ(0, find(_metadata, self, "ffffffffb6601000 T _stext\n" ENDS, IOMEM));
	expect(_metadata, self, "_stext", BEGIN + 0x1000, END_SYMBOLS);
}

TEST_F(kernel_range, no_edata)
{
	ASSERT_EQ(0, find(_metadata, self, PERCPU TEXT "ffffffffb7600000 T _etext\n", ZEROS));
	expect(_metadata, self, "_text", BEGIN, 0xffffffffb7600000ULL);
}

TEST_F(kernel_range, no_end)
{
	ASSERT_EQ(0, find(_metadata, self, PERCPU TEXT, ZEROS));
	expect(_metadata, self, "_text", BEGIN, 0);
}

TEST_F(kernel_range, hidden)
{
	EXPECT_EQ(-EPERM, find(_metadata, self, HIDDEN, IOMEM));
	EXPECT_EQ(-EPERM, find(_metadata, self, HIDDEN, ZEROS));
}

/* If the addresses are hidden, the end of a long file is not read. */
TEST_F(kernel_range, hidden_up_to_text)
{
	ASSERT_EQ(0, ftruncate(self->kallsyms, 1L << 40));
	EXPECT_EQ(-EPERM, find(_metadata, self, HIDDEN, ZEROS));
}

TEST_F(kernel_range, no_symbols)
{
	EXPECT_EQ(-EPERM, find(_metadata, self, "", IOMEM));
}

TEST_F(kernel_range, no_kallsyms)
{
	strcpy(self->paths[0], "/proc/self/no-kallsyms");
	EXPECT_EQ(-ENOENT, find(_metadata, self, "", IOMEM));
}

TEST_HARNESS_MAIN
