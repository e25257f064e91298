/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kinds of maps. Only the name of a map tells what is mapped.
 */
#ifndef AUXREC_MAP_KIND_H
#define AUXREC_MAP_KIND_H

#include <stdbool.h>

/*
 * The kernel's perf_event_mmap_event() names a map with a file by its path (d_path()), which begins
 * with '/', or "//enomem" or "//toolong" if it cannot get the path. A map without a file has a name
 * such as "[vdso]", "[heap]" or "[stack]", or it is "//anon". d_path() makes up a name for a file
 * that is in no file system: "anon_inode:[perf_event]". Files that the kernel makes for memory have
 * names of simple_dname(), which look like paths: "/NAME (deleted)".
 */
enum map_kind {
	/*
	 * No file, or none with a path. Huge pages of an anonymous map count as memory, too,
	 * although hugetlb_file_setup() makes a file for them ("/anon_hugepage").
	 */
	MAP_KIND_MEMORY,
	MAP_KIND_FILE,
	/*
	 * Shared memory, which has a file of shmem_kernel_file_setup() ("/dev/zero",
	 * "/SYSV00000000", "/memfd:name"), and devices. Most of it holds no ELF file, but a memfd
	 * can.
	 */
	MAP_KIND_SHARED,
	MAP_KIND_VDSO,
	MAP_KIND_KERNEL,		/* "[kernel.kallsyms]_text" */
};

enum map_kind map_kind(const char *name);

/* Can the map have the build-id of a file? */
bool map_has_file(const char *name);

#endif /* AUXREC_MAP_KIND_H */
