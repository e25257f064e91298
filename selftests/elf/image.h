/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF images for tests. They are written piece by piece, so that any part can be wrong.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <elf.h>

#include "base/kernel_shim.h"

struct image {
	u8 *bytes;
	size_t size;
	bool is_64;
	bool big_endian;
	Elf64_Ehdr ehdr;	/* in the byte order of this machine; see image_end() */
	/* another piece, far behind the first, with zeros between them */
	u64 far;
	const u8 *far_bytes;
	u32 far_size;
	u64 file_size;		/* if not 0, the size of the file, instead of size */
};

/* One of the four kinds: bit 0 for ELF64, bit 1 for big endian. */
#define IMAGE_KINDS	4

/* The contents of a note, for image_note(). namesz is the size of the name. */
struct note {
	const char *name;
	u32 namesz;
	u32 type;
	const void *desc;
	u32 descsz;
};

/* Begin an empty file of @kind, whose ELF header has no tables. */
void image_begin(struct image *img, unsigned int kind, unsigned int type);
/* Write the ELF header. @img->ehdr can be changed until then. */
void image_end(struct image *img);
void image_free(struct image *img);

/* Put bytes at an offset. The file grows as needed, with zeros. */
void image_put(struct image *img, u64 offset, const void *bytes, size_t size);

/* Place a table. Its entries are zero (PT_NULL, SHT_NULL) until they are set. */
void image_segments(struct image *img, u64 offset, u32 nr);
void image_sections(struct image *img, u64 offset, u32 nr);
void image_segment(struct image *img, u32 i, u32 type, u64 offset, u64 size,
		   u64 align);
void image_section(struct image *img, u32 i, const Elf64_Shdr *section);
void image_note_section(struct image *img, u32 i, u64 offset, u64 size,
			u64 align);

/* Write a note. Return the offset of the next one. */
u64 image_note(struct image *img, u64 offset, u32 align,
	       const struct note *note);
/* The same without an image: write the note to @bytes, and return its size. */
u32 image_note_bytes(u8 *bytes, bool big_endian, u32 align,
		     const struct note *note);

u32 image_phdr_size(const struct image *img);
u32 image_shdr_size(const struct image *img);

#endif /* IMAGE_H */
