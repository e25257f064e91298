// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make ELF images for tests, piece by piece.
 */
#include <byteswap.h>
#include <err.h>
#include <stdlib.h>

#include "image.h"

static bool foreign(bool big_endian)
{
	return big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static u16 put16(const struct image *img, u16 value)
{
	return foreign(img->big_endian) ? bswap_16(value) : value;
}

static u32 put32(const struct image *img, u32 value)
{
	return foreign(img->big_endian) ? bswap_32(value) : value;
}

static u64 put64(const struct image *img, u64 value)
{
	return foreign(img->big_endian) ? bswap_64(value) : value;
}

u32 image_phdr_size(const struct image *img)
{
	return img->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
}

u32 image_shdr_size(const struct image *img)
{
	return img->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
}

void image_put(struct image *img, u64 offset, const void *bytes, size_t size)
{
	size_t end = offset + size;

	if (end > img->size) {
		img->bytes = realloc(img->bytes, end);
		if (!img->bytes)
			err(2, "image");
		memset(img->bytes + img->size, 0, end - img->size);
		img->size = end;
	}
	if (size && bytes)
		memcpy(img->bytes + offset, bytes, size);
}

void image_begin(struct image *img, unsigned int kind, unsigned int type)
{
	memset(img, 0, sizeof(*img));
	img->is_64 = kind & 1;
	img->big_endian = kind & 2;
	memcpy(img->ehdr.e_ident, ELFMAG, SELFMAG);
	img->ehdr.e_ident[EI_CLASS] = img->is_64 ? ELFCLASS64 : ELFCLASS32;
	img->ehdr.e_ident[EI_DATA] = img->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	img->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	img->ehdr.e_type = type;
	img->ehdr.e_version = EV_CURRENT;
	img->ehdr.e_ehsize = img->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
	image_put(img, 0, NULL, img->ehdr.e_ehsize);
}

static void end_64(struct image *img)
{
	Elf64_Ehdr ehdr = img->ehdr;

	ehdr.e_type = put16(img, ehdr.e_type);
	ehdr.e_version = put32(img, ehdr.e_version);
	ehdr.e_phoff = put64(img, ehdr.e_phoff);
	ehdr.e_shoff = put64(img, ehdr.e_shoff);
	ehdr.e_ehsize = put16(img, ehdr.e_ehsize);
	ehdr.e_phentsize = put16(img, ehdr.e_phentsize);
	ehdr.e_phnum = put16(img, ehdr.e_phnum);
	ehdr.e_shentsize = put16(img, ehdr.e_shentsize);
	ehdr.e_shnum = put16(img, ehdr.e_shnum);
	image_put(img, 0, &ehdr, sizeof(ehdr));
}

static void end_32(struct image *img)
{
	Elf32_Ehdr ehdr = {
		.e_type = put16(img, img->ehdr.e_type),
		.e_version = put32(img, img->ehdr.e_version),
		.e_phoff = put32(img, img->ehdr.e_phoff),
		.e_shoff = put32(img, img->ehdr.e_shoff),
		.e_ehsize = put16(img, img->ehdr.e_ehsize),
		.e_phentsize = put16(img, img->ehdr.e_phentsize),
		.e_phnum = put16(img, img->ehdr.e_phnum),
		.e_shentsize = put16(img, img->ehdr.e_shentsize),
		.e_shnum = put16(img, img->ehdr.e_shnum),
	};

	memcpy(ehdr.e_ident, img->ehdr.e_ident, EI_NIDENT);
	image_put(img, 0, &ehdr, sizeof(ehdr));
}

void image_end(struct image *img)
{
	if (img->is_64)
		end_64(img);
	else
		end_32(img);
}

void image_free(struct image *img)
{
	free(img->bytes);
	img->bytes = NULL;
}

void image_segments(struct image *img, u64 offset, u32 nr)
{
	img->ehdr.e_phoff = offset;
	img->ehdr.e_phnum = nr < PN_XNUM ? nr : PN_XNUM;
	img->ehdr.e_phentsize = image_phdr_size(img);
	image_put(img, offset, NULL, (size_t)nr * image_phdr_size(img));
}

void image_sections(struct image *img, u64 offset, u32 nr)
{
	img->ehdr.e_shoff = offset;
	img->ehdr.e_shnum = nr < SHN_LORESERVE ? nr : 0;
	img->ehdr.e_shentsize = image_shdr_size(img);
	image_put(img, offset, NULL, (size_t)nr * image_shdr_size(img));
}

void image_segment(struct image *img, u32 i, u32 type, u64 offset, u64 size,
		   u64 align)
{
	u64 at = img->ehdr.e_phoff + (u64)i * image_phdr_size(img);
	Elf64_Phdr large = {
		.p_type = put32(img, type),
		.p_offset = put64(img, offset),
		.p_filesz = put64(img, size),
		.p_align = put64(img, align),
	};
	Elf32_Phdr small = {
		.p_type = put32(img, type),
		.p_offset = put32(img, offset),
		.p_filesz = put32(img, size),
		.p_align = put32(img, align),
	};

	if (img->is_64)
		image_put(img, at, &large, sizeof(large));
	else
		image_put(img, at, &small, sizeof(small));
}

void image_section(struct image *img, u32 i, const Elf64_Shdr *section)
{
	u64 at = img->ehdr.e_shoff + (u64)i * image_shdr_size(img);
	Elf64_Shdr large = {
		.sh_type = put32(img, section->sh_type),
		.sh_offset = put64(img, section->sh_offset),
		.sh_size = put64(img, section->sh_size),
		.sh_info = put32(img, section->sh_info),
		.sh_addralign = put64(img, section->sh_addralign),
	};
	Elf32_Shdr small = {
		.sh_type = put32(img, section->sh_type),
		.sh_offset = put32(img, section->sh_offset),
		.sh_size = put32(img, section->sh_size),
		.sh_info = put32(img, section->sh_info),
		.sh_addralign = put32(img, section->sh_addralign),
	};

	if (img->is_64)
		image_put(img, at, &large, sizeof(large));
	else
		image_put(img, at, &small, sizeof(small));
}

void image_note_section(struct image *img, u32 i, u64 offset, u64 size,
			u64 align)
{
	Elf64_Shdr section = {
		.sh_type = SHT_NOTE,
		.sh_offset = offset,
		.sh_size = size,
		.sh_addralign = align,
	};

	image_section(img, i, &section);
}

u64 image_note(struct image *img, u64 offset, u32 align,
	       const struct note *note)
{
	Elf32_Nhdr header = {
		.n_namesz = put32(img, note->namesz),
		.n_descsz = put32(img, note->descsz),
		.n_type = put32(img, note->type),
	};
	u64 desc = ALIGN(sizeof(header) + note->namesz, align);

	image_put(img, offset, &header, sizeof(header));
	image_put(img, offset + sizeof(header), note->name, note->namesz);
	image_put(img, offset + desc, note->desc, note->descsz);
	return offset + ALIGN(desc + note->descsz, align);
}

u32 image_note_bytes(u8 *bytes, bool big_endian, u32 align,
		     const struct note *note)
{
	struct image img = { .big_endian = big_endian };
	u32 size;

	image_note(&img, 0, align, note);
	size = img.size;
	memcpy(bytes, img.bytes, size);
	image_free(&img);
	return size;
}
