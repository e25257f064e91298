// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/stream/map_kind.c: what the name of a map tells, with the names that kernels give.
 */
#include "base/util.h"
#include "kselftest_harness.h"
#include "stream/map_kind.h"

static const struct {
	const char *name;
	enum map_kind kind;
	bool has_file;
} cases[] = {
	{ "/usr/bin/bash", MAP_KIND_FILE, true },
	{ "/usr/lib/libc.so.6 (deleted)", MAP_KIND_FILE, true },
	/* Files whose names only begin like those of memory */
	{ "/anon_hugepage.so", MAP_KIND_FILE, true },
	{ "/anon_hugepages/lib.so", MAP_KIND_FILE, true },
	{ "/home/anon_hugepage", MAP_KIND_FILE, true },
	/* MAP_ANONYMOUS with MAP_HUGETLB: hugetlb_file_setup() */
	{ "/anon_hugepage", MAP_KIND_MEMORY, false },
	{ "/anon_hugepage (deleted)", MAP_KIND_MEMORY, false },
	{ "//anon", MAP_KIND_MEMORY, false },
	{ "//enomem", MAP_KIND_MEMORY, false },
	{ "//toolong", MAP_KIND_MEMORY, false },
	{ "[heap]", MAP_KIND_MEMORY, false },
	{ "[stack]", MAP_KIND_MEMORY, false },
	{ "anon_inode:[perf_event]", MAP_KIND_MEMORY, false },
	{ "", MAP_KIND_MEMORY, false },
	{ "/dev/zero (deleted)", MAP_KIND_SHARED, true },
	{ "/SYSV00000000 (deleted)", MAP_KIND_SHARED, true },
	{ "/memfd:jit (deleted)", MAP_KIND_SHARED, true },
	{ "/dev/dri/card0", MAP_KIND_SHARED, true },
	{ "[vdso]", MAP_KIND_VDSO, false },
	{ "[vvar]", MAP_KIND_MEMORY, false },
	{ "[kernel.kallsyms]_text", MAP_KIND_KERNEL, false },
};

TEST(names)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		EXPECT_EQ(cases[i].kind, map_kind(cases[i].name))
			TH_LOG("%s", cases[i].name);
		EXPECT_EQ(cases[i].has_file, map_has_file(cases[i].name))
			TH_LOG("%s", cases[i].name);
	}
}

TEST_HARNESS_MAIN
