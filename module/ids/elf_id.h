/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_ELF_ID_H
#define PERFAUX_ELF_ID_H

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include "base/kernel_shim.h"
#endif

#include "../../uapi/perfaux.h"

/*
 * The most that one call may cost, whatever the file says: a number of program
 * headers and section headers together, and a number of notes. The extended
 * numbering of ELF begins at 65280 sections and 65535 program headers, so both
 * kinds fit with room to spare. A linker makes about ten of each kind, and ten
 * notes. The bound for one segment or section prevents a damaged one, which may
 * extend over all of a large file, from using up the notes of the next ones.
 */
#define PA_ELF_MAX_HEADERS	131072
#define PA_ELF_MAX_NOTES	131072
#define PA_ELF_MAX_NOTES_EACH	65536

/*
 * Headers are read several at a time, but not from a page that might not be
 * needed. No page is smaller than PA_ELF_PAGE.
 */
#define PA_ELF_PAGE		4096
#define PA_ELF_BATCH		256

/*
 * The bounds that follow from the above, and that the tests check. A batch has at
 * least four headers, except next to the end of a page. A note takes one read, and
 * the id another. Then there are the ELF header and section 0.
 */
#define PA_ELF_MAX_READS	(PA_ELF_MAX_HEADERS / 3 + PA_ELF_MAX_NOTES + 16)
#define PA_ELF_MAX_BYTES	(64UL * PA_ELF_MAX_HEADERS + \
				 16UL * PA_ELF_MAX_NOTES + 1024)

/* No more than these bytes of a longer id are read. */
#define PA_ELF_ID_MAX		256

/* A source of bytes: a file, memory, or anything else that has an ELF image */
struct pa_elf_reader {
	/*
	 * Read all of [offset, offset + len), or return -errno. Only called
	 * with 0 < len <= PA_ELF_BATCH and offset + len <= size.
	 */
	int (*read)(struct pa_elf_reader *reader, u64 offset, void *buf,
		    u32 len);
	u64 size;
};

struct pa_elf_id {
	u32 size;		/* bytes of data; 0 if there is no id */
	u8 data[PA_ELF_ID_MAX];
};

/*
 * Find the build-id of an ELF file: the first note with name "GNU", type
 * NT_GNU_BUILD_ID and a description, in a PT_NOTE segment or, if no such segment
 * has one, in a SHT_NOTE section. The file may be of either class and either byte
 * order, and an executable, a shared object or a relocatable object.
 *
 * Damaged headers or notes do not hide an id that comes after them: the function
 * looks at everything that still makes sense.
 *
 * Returns 0, or why there is no id, or the error of the reader. An error of the
 * reader is returned immediately, because the data that could not be read might
 * have been the id. If several causes apply, the first one in this list is
 * returned:
 *   PERFAUX_ID_TOO_LARGE	more headers or notes than the bounds above
 *   PERFAUX_ID_TRUNCATED	a header, segment or section extends past the end
 *				of the file, or a note past the end of its segment
 *				or section
 *   PERFAUX_ID_NOT_ELF		no ELF magic; or a class, byte order, type, or
 *				size of a header that ELF does not have
 *   PERFAUX_ID_NO_NOTE		the file is sound and has no id
 *
 * Uses less than 600 bytes of stack. Calls nothing that sleeps, takes a lock or
 * allocates, except the reader. No value is read twice, so a file that changes
 * meanwhile can change the result, and nothing else.
 */
int pa_elf_id(struct pa_elf_reader *reader, struct pa_elf_id *id);

/*
 * Likewise for notes alone, in the machine's byte order, in
 * [offset, offset + size) of the reader. @align is the alignment of the section or
 * segment: 8 means 8, all other values mean 4.
 */
int pa_elf_notes(struct pa_elf_reader *reader, u64 offset, u64 size, u64 align,
		 struct pa_elf_id *id);

#endif /* PERFAUX_ELF_ID_H */
