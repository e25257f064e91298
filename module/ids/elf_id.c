// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the build-id of an ELF file, from any source of bytes. auxrec and test
 * programs are built with this file too, so nothing here knows of files or pages.
 *
 * The file may be hostile, and may change while it is read. Each value is read
 * once, into local memory, and checked there. All loops go over a number of
 * entries that was bounded first, or forwards over notes that are counted.
 */
#include <linux/elf.h>

#include "elf_id.h"

#define PA_NT_GNU_BUILD_ID	3

/* Functions return -errno of the reader, PA_GO_ON, or PA_DONE (the result is in cause). */
#define PA_GO_ON		0
#define PA_DONE			1

struct pa_elf_table {
	u64 offset;
	u64 nr;
	u32 entry_size;
};

struct pa_elf {
	struct pa_elf_reader *reader;
	struct pa_elf_id *id;
	u64 size;		/* reader->size, read once */
	u32 headers_left;	/* of PA_ELF_MAX_HEADERS */
	u32 notes_left;		/* of PA_ELF_MAX_NOTES */
	int cause;		/* enum perfaux_no_id */
	bool is_64;
	bool big_endian;
	struct pa_elf_table segments;
	struct pa_elf_table sections;
};

struct pa_elf_note {
	u32 namesz;
	u32 descsz;
	u32 type;
	char name[4];
};

#define PA_NOTE_HEADER_SIZE	offsetof(struct pa_elf_note, name)

/* Offset and size of a field in a header: [0] for ELF32, [1] for ELF64 */
struct pa_elf_field {
	u8 offset[2];
	u8 size[2];
};

#define PA_ELF_FIELD(type, prefix, name) {				\
	.offset = { offsetof(struct elf32_##type, prefix##name),	\
		    offsetof(struct elf64_##type, prefix##name) },	\
	.size = { sizeof_field(struct elf32_##type, prefix##name),	\
		  sizeof_field(struct elf64_##type, prefix##name) },	\
}

static const struct pa_elf_field pa_e_type = PA_ELF_FIELD(hdr, e_, type);
static const struct pa_elf_field pa_e_phoff = PA_ELF_FIELD(hdr, e_, phoff);
static const struct pa_elf_field pa_e_phnum = PA_ELF_FIELD(hdr, e_, phnum);
static const struct pa_elf_field pa_e_phentsize = PA_ELF_FIELD(hdr, e_, phentsize);
static const struct pa_elf_field pa_e_shoff = PA_ELF_FIELD(hdr, e_, shoff);
static const struct pa_elf_field pa_e_shnum = PA_ELF_FIELD(hdr, e_, shnum);
static const struct pa_elf_field pa_e_shentsize = PA_ELF_FIELD(hdr, e_, shentsize);
static const struct pa_elf_field pa_p_type = PA_ELF_FIELD(phdr, p_, type);
static const struct pa_elf_field pa_p_offset = PA_ELF_FIELD(phdr, p_, offset);
static const struct pa_elf_field pa_p_filesz = PA_ELF_FIELD(phdr, p_, filesz);
static const struct pa_elf_field pa_p_align = PA_ELF_FIELD(phdr, p_, align);
static const struct pa_elf_field pa_sh_type = PA_ELF_FIELD(shdr, sh_, type);
static const struct pa_elf_field pa_sh_offset = PA_ELF_FIELD(shdr, sh_, offset);
static const struct pa_elf_field pa_sh_size = PA_ELF_FIELD(shdr, sh_, size);
static const struct pa_elf_field pa_sh_info = PA_ELF_FIELD(shdr, sh_, info);
static const struct pa_elf_field pa_sh_addralign = PA_ELF_FIELD(shdr, sh_, addralign);

static const u8 pa_ehdr_size[2] = { sizeof(struct elf32_hdr), sizeof(struct elf64_hdr) };
static const u8 pa_phdr_size[2] = { sizeof(struct elf32_phdr), sizeof(struct elf64_phdr) };
static const u8 pa_shdr_size[2] = { sizeof(struct elf32_shdr), sizeof(struct elf64_shdr) };

/* Byte by byte, because the value may be unaligned and in either byte order. */
static u64 pa_elf_value(const struct pa_elf *elf, const void *from, size_t size)
{
	const u8 *bytes = from;
	u64 value = 0;
	size_t i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[elf->big_endian ? i : size - 1 - i];
	return value;
}

static u64 pa_elf_get(const struct pa_elf *elf, const u8 *header,
		      const struct pa_elf_field *field)
{
	return pa_elf_value(elf, header + field->offset[elf->is_64],
			    field->size[elf->is_64]);
}

/* If there are several causes, the one with the greatest number tells the most. */
static void pa_elf_cause(struct pa_elf *elf, int cause)
{
	if (elf->cause < cause)
		elf->cause = cause;
}

static int pa_elf_end(struct pa_elf *elf, int cause)
{
	elf->cause = cause;
	return PA_DONE;
}

static int pa_elf_read(struct pa_elf *elf, u64 offset, void *buf, u32 len)
{
	return elf->reader->read(elf->reader, offset, buf, len);
}

/* Return how many bytes of [offset, offset + size) the file has. */
static u64 pa_elf_clamp(struct pa_elf *elf, u64 offset, u64 size)
{
	u64 end;

	if (!check_add_overflow(offset, size, &end) && end <= elf->size)
		return size;
	pa_elf_cause(elf, PERFAUX_ID_TRUNCATED);
	return offset < elf->size ? elf->size - offset : 0;
}

static bool pa_elf_is_id(const struct pa_elf_note *note)
{
	return note->type == PA_NT_GNU_BUILD_ID && note->descsz &&
	       note->namesz == sizeof(note->name) &&
	       !memcmp(note->name, "GNU", sizeof(note->name));
}

static int pa_elf_take_id(struct pa_elf *elf, u64 offset, u32 size)
{
	int ret;

	size = min_t(u32, size, PA_ELF_ID_MAX);
	ret = pa_elf_read(elf, offset, elf->id->data, size);
	if (ret)
		return ret;
	elf->id->size = size;
	return pa_elf_end(elf, PERFAUX_ID_FOUND);
}

/*
 * Read the header of a note and the part of its name that can be "GNU". @left
 * bytes are left from the note's start.
 */
static int pa_elf_read_note(struct pa_elf *elf, u64 offset, u64 left,
			    struct pa_elf_note *note)
{
	struct pa_elf_note raw = { 0 };
	int ret;

	ret = pa_elf_read(elf, offset, &raw, min_t(u64, left, sizeof(raw)));
	if (ret)
		return ret;
	note->namesz = pa_elf_value(elf, &raw.namesz, sizeof(raw.namesz));
	note->descsz = pa_elf_value(elf, &raw.descsz, sizeof(raw.descsz));
	note->type = pa_elf_value(elf, &raw.type, sizeof(raw.type));
	memcpy(note->name, raw.name, sizeof(note->name));
	return 0;
}

/*
 * Look through notes. The description and the next note are aligned relative
 * to the first note, not to the file.
 */
static int pa_elf_walk(struct pa_elf *elf, u64 offset, u64 size, u64 p_align)
{
	u32 notes = min_t(u32, elf->notes_left, PA_ELF_MAX_NOTES_EACH);
	u64 left = pa_elf_clamp(elf, offset, size);
	u32 align = p_align == 8 ? 8 : 4;
	struct pa_elf_note note;
	u64 desc, next;
	int ret;

	/* A shorter rest is padding. */
	while (left >= PA_NOTE_HEADER_SIZE) {
		if (!notes--) {
			pa_elf_cause(elf, PERFAUX_ID_TOO_LARGE);
			return elf->notes_left ? PA_GO_ON : PA_DONE;
		}
		elf->notes_left--;
		ret = pa_elf_read_note(elf, offset, left, &note);
		if (ret)
			return ret;
		/* Sums of 32-bit numbers cannot overflow here. */
		desc = ALIGN((u64)PA_NOTE_HEADER_SIZE + note.namesz, align);
		if (desc > left || note.descsz > left - desc) {
			pa_elf_cause(elf, PERFAUX_ID_TRUNCATED);
			break;
		}
		if (pa_elf_is_id(&note))
			return pa_elf_take_id(elf, offset + desc, note.descsz);
		next = min_t(u64, ALIGN(desc + note.descsz, align), left);
		offset += next;
		left -= next;
	}
	return PA_GO_ON;
}

static int pa_elf_segment(struct pa_elf *elf, const u8 *header)
{
	if (pa_elf_get(elf, header, &pa_p_type) != PT_NOTE)
		return PA_GO_ON;
	return pa_elf_walk(elf, pa_elf_get(elf, header, &pa_p_offset),
			   pa_elf_get(elf, header, &pa_p_filesz),
			   pa_elf_get(elf, header, &pa_p_align));
}

static int pa_elf_section(struct pa_elf *elf, const u8 *header)
{
	if (pa_elf_get(elf, header, &pa_sh_type) != SHT_NOTE)
		return PA_GO_ON;
	return pa_elf_walk(elf, pa_elf_get(elf, header, &pa_sh_offset),
			   pa_elf_get(elf, header, &pa_sh_size),
			   pa_elf_get(elf, header, &pa_sh_addralign));
}

/* Cut a table to the entries that are in the file and within the bounds. */
static void pa_elf_bound(struct pa_elf *elf, struct pa_elf_table *table)
{
	u64 room = table->offset < elf->size ? elf->size - table->offset : 0;

	if (table->nr > room / table->entry_size) {
		table->nr = room / table->entry_size;
		pa_elf_cause(elf, PERFAUX_ID_TRUNCATED);
	}
	if (table->nr > elf->headers_left) {
		table->nr = elf->headers_left;
		pa_elf_cause(elf, PERFAUX_ID_TOO_LARGE);
	}
	elf->headers_left -= table->nr;
}

/*
 * Return how many entries to read together: those that end in the page in which
 * the first one begins, but at least one. The next page may be missing, and may
 * not be needed.
 */
static u32 pa_elf_batch(const struct pa_elf_table *table)
{
	u32 in_page = PA_ELF_PAGE - (table->offset & (PA_ELF_PAGE - 1));
	u32 nr = min_t(u32, in_page, PA_ELF_BATCH) / table->entry_size;

	return min_t(u64, nr ?: 1, table->nr);
}

static int pa_elf_scan(struct pa_elf *elf, struct pa_elf_table *table,
		       int (*look)(struct pa_elf *elf, const u8 *header))
{
	u8 headers[PA_ELF_BATCH];
	u32 i, nr;
	int ret;

	pa_elf_bound(elf, table);
	while (table->nr) {
		nr = pa_elf_batch(table);
		ret = pa_elf_read(elf, table->offset, headers,
				  nr * table->entry_size);
		if (ret)
			return ret;
		for (i = 0; i < nr; i++) {
			ret = look(elf, headers + i * table->entry_size);
			if (ret)
				return ret;
		}
		table->offset += nr * table->entry_size;
		table->nr -= nr;
	}
	return PA_GO_ON;
}

/* Counts that do not fit into the ELF header are in section 0. */
static int pa_elf_section_0(struct pa_elf *elf)
{
	u32 size = elf->sections.entry_size;
	u8 header[sizeof(struct elf64_shdr)];
	u64 nr;
	int ret;

	if (pa_elf_clamp(elf, elf->sections.offset, size) < size)
		return PA_GO_ON;
	ret = pa_elf_read(elf, elf->sections.offset, header, size);
	if (ret)
		return ret;
	nr = pa_elf_get(elf, header, &pa_sh_info);
	if (elf->segments.nr == PN_XNUM && nr)
		elf->segments.nr = nr;
	if (!elf->sections.nr)
		elf->sections.nr = pa_elf_get(elf, header, &pa_sh_size);
	return PA_GO_ON;
}

/* A table whose entries do not have the size that is known cannot be read. */
static void pa_elf_check_table(struct pa_elf *elf, struct pa_elf_table *table,
			       u64 entry_size)
{
	if (!table->offset) {
		table->nr = 0;
	} else if (entry_size != table->entry_size) {
		if (table->nr)
			pa_elf_cause(elf, PERFAUX_ID_NOT_ELF);
		table->nr = 0;
		table->offset = 0;
	}
}

static void pa_elf_tables(struct pa_elf *elf, const u8 *header)
{
	elf->segments.offset = pa_elf_get(elf, header, &pa_e_phoff);
	elf->segments.nr = pa_elf_get(elf, header, &pa_e_phnum);
	elf->segments.entry_size = pa_phdr_size[elf->is_64];
	pa_elf_check_table(elf, &elf->segments,
			   pa_elf_get(elf, header, &pa_e_phentsize));
	elf->sections.offset = pa_elf_get(elf, header, &pa_e_shoff);
	elf->sections.nr = pa_elf_get(elf, header, &pa_e_shnum);
	elf->sections.entry_size = pa_shdr_size[elf->is_64];
	pa_elf_check_table(elf, &elf->sections,
			   pa_elf_get(elf, header, &pa_e_shentsize));
}

static bool pa_elf_ident(struct pa_elf *elf, const u8 *ident)
{
	elf->is_64 = ident[EI_CLASS] == ELFCLASS64;
	elf->big_endian = ident[EI_DATA] == ELFDATA2MSB;
	return (elf->is_64 || ident[EI_CLASS] == ELFCLASS32) &&
	       (elf->big_endian || ident[EI_DATA] == ELFDATA2LSB);
}

static bool pa_elf_type_has_id(u64 type)
{
	return type == ET_EXEC || type == ET_DYN || type == ET_REL;
}

/* noinline, so that its buffer is not on the stack while the tables are read. */
static noinline int pa_elf_header(struct pa_elf *elf)
{
	u32 len = min_t(u64, elf->size, sizeof(struct elf64_hdr));
	u8 header[sizeof(struct elf64_hdr)];
	int ret;

	if (len < SELFMAG)
		return pa_elf_end(elf, PERFAUX_ID_NOT_ELF);
	ret = pa_elf_read(elf, 0, header, len);
	if (ret)
		return ret;
	if (memcmp(header, ELFMAG, SELFMAG))
		return pa_elf_end(elf, PERFAUX_ID_NOT_ELF);
	if (len < EI_NIDENT)
		return pa_elf_end(elf, PERFAUX_ID_TRUNCATED);
	if (!pa_elf_ident(elf, header))
		return pa_elf_end(elf, PERFAUX_ID_NOT_ELF);
	if (len < pa_ehdr_size[elf->is_64])
		return pa_elf_end(elf, PERFAUX_ID_TRUNCATED);
	if (!pa_elf_type_has_id(pa_elf_get(elf, header, &pa_e_type)))
		return pa_elf_end(elf, PERFAUX_ID_NOT_ELF);
	pa_elf_tables(elf, header);
	return PA_GO_ON;
}

static noinline int pa_elf_counts(struct pa_elf *elf)
{
	if (elf->sections.offset &&
	    (!elf->sections.nr || elf->segments.nr == PN_XNUM))
		return pa_elf_section_0(elf);
	return PA_GO_ON;
}

static void pa_elf_init(struct pa_elf *elf, struct pa_elf_reader *reader,
			struct pa_elf_id *id)
{
	memset(id, 0, sizeof(*id));
	memset(elf, 0, sizeof(*elf));
	elf->reader = reader;
	elf->id = id;
	elf->size = reader->size;
	elf->headers_left = PA_ELF_MAX_HEADERS;
	elf->notes_left = PA_ELF_MAX_NOTES;
	elf->cause = PERFAUX_ID_NO_NOTE;
}

int pa_elf_id(struct pa_elf_reader *reader, struct pa_elf_id *id)
{
	struct pa_elf elf;
	int ret;

	pa_elf_init(&elf, reader, id);
	ret = pa_elf_header(&elf);
	if (!ret)
		ret = pa_elf_counts(&elf);
	if (!ret)
		ret = pa_elf_scan(&elf, &elf.segments, pa_elf_segment);
	if (!ret)
		ret = pa_elf_scan(&elf, &elf.sections, pa_elf_section);
	return ret < 0 ? ret : elf.cause;
}

int pa_elf_notes(struct pa_elf_reader *reader, u64 offset, u64 size, u64 align,
		 struct pa_elf_id *id)
{
	struct pa_elf elf;
	int ret;

	pa_elf_init(&elf, reader, id);
	elf.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	ret = pa_elf_walk(&elf, offset, size, align);
	return ret < 0 ? ret : elf.cause;
}
