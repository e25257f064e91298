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
 * What one call may cost at most, whatever the file says: so many program
 * headers and section headers together, and so many notes. The extended
 * numbering of ELF begins at 65280 sections and 65535 program headers, so both
 * kinds fit with room to spare; a linker makes about ten of each, and ten notes.
 * The bound for one segment or section keeps a damaged one, which may reach over
 * all of a large file, from using up the notes of the next ones.
 */
#define PA_ELF_MAX_HEADERS	131072
#define PA_ELF_MAX_NOTES	131072
#define PA_ELF_MAX_NOTES_EACH	65536

/*
 * Headers are read several at a time, but not from a page that might not be
 * needed: no page is smaller than this.
 */
#define PA_ELF_PAGE		4096
#define PA_ELF_BATCH		256

/*
 * What follows from it, and what the tests hold it to: a batch has at least
 * four headers, except beside the end of a page; a note takes one read, and the
 * id another; then there are the ELF header and section 0.
 */
#define PA_ELF_MAX_READS	(PA_ELF_MAX_HEADERS / 3 + PA_ELF_MAX_NOTES + 16)
#define PA_ELF_MAX_BYTES	(64UL * PA_ELF_MAX_HEADERS + \
				 16UL * PA_ELF_MAX_NOTES + 1024)

/* Of a longer id these are all that is read. */
#define PA_ELF_ID_MAX		256

/* Bytes of a file, memory, or whatever has an ELF image. */
struct pa_elf_reader {
	/*
	 * All of [offset, offset + len), or -errno. Only called with
	 * 0 < len <= PA_ELF_BATCH and offset + len <= size.
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
 * Finds the build-id of an ELF file: the first note with name "GNU", type
 * NT_GNU_BUILD_ID and a description, in a PT_NOTE segment, or, if there is none
 * in any of them, in a SHT_NOTE section. Both classes, both byte orders;
 * executables, shared and relocatable objects.
 *
 * Headers or notes that are damaged do not hide an id behind them: what can
 * still be made sense of is looked at.
 *
 * Returns 0, or why there is no id, or what the reader returned (at once: what
 * could not be read might have been the id). If several causes apply it is the
 * one that comes first here:
 *   PERFAUX_ID_TOO_LARGE	more headers or notes than the bounds above
 *   PERFAUX_ID_TRUNCATED	a header, segment, section or note goes on behind
 *				the end of what it is in
 *   PERFAUX_ID_NOT_ELF		no ELF magic; or a class, byte order, type, or
 *				size of a header that ELF does not have
 *   PERFAUX_ID_NO_NOTE		it is sound, and has none
 *
 * Uses less than 600 bytes of stack. Calls nothing that sleeps, takes a lock or
 * allocates, except the reader. No value is read twice, so a file that changes
 * meanwhile can change the result, and nothing else.
 */
int pa_elf_id(struct pa_elf_reader *reader, struct pa_elf_id *id);

/*
 * The same for notes alone, in the machine's byte order: [offset, offset + size)
 * of what the reader reads. @align: of the section or segment; 8 is 8, all
 * other values are 4.
 */
int pa_elf_notes(struct pa_elf_reader *reader, u64 offset, u64 size, u64 align,
		 struct pa_elf_id *id);

#endif /* PERFAUX_ELF_ID_H */
