// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases of valid files: the parser must find the id in each place where it can be.
 */
#include "test_elf_id.h"

#define PAGE	4096

static void kinds(void)
{
	static const u16 types[] = { ET_REL, ET_EXEC, ET_DYN };
	struct image img;

	for (unsigned int i = 0; i < 3 * IMAGE_KINDS; i++) {
		simple_image(&img, i % IMAGE_KINDS);
		img.ehdr.e_type = types[i / IMAGE_KINDS];
		finish(&img, 0, "segment %s type %d", kind_name(i % IMAGE_KINDS),
		       types[i / IMAGE_KINDS]);
	}
}

static void sections(void)
{
	struct image img;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		section_image(&img, kind);
		finish(&img, 0, "section %s", kind_name(kind));
		/* Segments without an id must not hide an id in a section. */
		section_image(&img, kind);
		image_segments(&img, img.size + 1, 1);
		image_segment(&img, 0, PT_NOTE, 64, 32, 4);
		finish(&img, 0, "section behind segment %s", kind_name(kind));
	}
}

static void first_wins(void)
{
	struct image img;
	u64 first, second;

	image_begin(&img, 1, ET_DYN);
	image_segments(&img, 64, 2);
	first = img.size;
	second = image_note(&img, first, 4, &id_note);
	image_note(&img, second, 4, &decoy_note);
	image_segment(&img, 0, PT_NOTE, first, img.size - first, 4);
	finish(&img, 0, "two notes");

	simple_image(&img, 1);
	second = img.size;
	image_note(&img, second, 4, &decoy_note);
	image_segments(&img, img.size, 2);
	image_segment(&img, 0, PT_NOTE, second - ID_NOTE_SIZE, ID_NOTE_SIZE, 4);
	image_segment(&img, 1, PT_NOTE, second, ID_NOTE_SIZE, 4);
	finish(&img, 0, "two segments");

	simple_image(&img, 1);
	second = img.size;
	image_note(&img, second, 4, &decoy_note);
	image_sections(&img, img.size, 2);
	image_note_section(&img, 1, second, ID_NOTE_SIZE, 4);
	finish(&img, 0, "segment before section");
}

static void moved_headers(void)
{
	struct image img;
	u64 notes;

	for (unsigned int i = 0; i < 8 * IMAGE_KINDS; i++) {
		image_begin(&img, i % IMAGE_KINDS, ET_EXEC);
		notes = 3 * PAGE - 20 + i / IMAGE_KINDS;
		image_note(&img, notes, 4, &id_note);
		image_segments(&img, img.size + i / IMAGE_KINDS, 12);
		image_segment(&img, 11, PT_NOTE, notes, ID_NOTE_SIZE, 4);
		finish(&img, 0, "headers behind notes, %u", i);
	}
}

/* Tables and notes at all offsets around the end of a page */
static void across_pages(void)
{
	struct image img;
	u64 notes;

	for (unsigned int i = 0; i < 300 * IMAGE_KINDS; i++) {
		image_begin(&img, i % IMAGE_KINDS, ET_DYN);
		image_segments(&img, PAGE - i / IMAGE_KINDS, 7);
		notes = 2 * PAGE - i / IMAGE_KINDS;
		image_note(&img, image_note(&img, notes, 4, &other_note), 4,
			   &id_note);
		image_segment(&img, 6, PT_NOTE, notes, img.size - notes, 4);
		finish(&img, 0, "across pages, %u", i);
	}
}

/* The parser must not read pages that begin after the entry or note with the id. */
static void needed_pages(void)
{
	struct image_reader r;
	struct pa_elf_id id;
	struct image img;
	bool crossing;

	for (unsigned int before = 1; before < 300; before++) {
		image_begin(&img, 1, ET_DYN);
		image_note(&img, 64, 4, &id_note);
		image_segments(&img, PAGE - before, 30);
		image_segment(&img, 0, PT_NOTE, 64, ID_NOTE_SIZE, 4);
		image_end(&img);
		crossing = before < sizeof(Elf64_Phdr);
		image_reader_init(&r, &img);
		if (pa_elf_id(&r.reader, &id) ||
		    r.last_page != crossing)
			fail("%u bytes before the end of a page: up to page %llu",
			     before, (unsigned long long)r.last_page);
		image_free(&img);
	}
}

static void far_offsets(void)
{
	static const u64 offsets[] = {
		0xfffff000, 0x100000000, 0x123456789abcd, 0x7fffffffffffffff,
		0xfffffffffffff000 - 1,
	};
	u8 bytes[64];
	struct image img;
	u32 size;

	for (unsigned int i = 0; i < 5 * IMAGE_KINDS; i++) {
		u64 far = offsets[i / IMAGE_KINDS];

		image_begin(&img, i % IMAGE_KINDS, ET_DYN);
		if (!img.is_64 && far >> 32) {
			image_free(&img);
			continue;
		}
		size = image_note_bytes(bytes, img.big_endian, 4, &id_note);
		image_segments(&img, 64, 1);
		image_segment(&img, 0, PT_NOTE, far, size, 4);
		img.far = far;
		img.far_bytes = bytes;
		img.far_size = size;
		img.file_size = far + size;
		finish(&img, 0, "far note at %#llx", (unsigned long long)far);
	}
}

static void far_table(void)
{
	struct image img, table;

	image_begin(&table, 1, ET_DYN);
	image_segment(&table, 0, PT_NOTE, 64, ID_NOTE_SIZE, 4);
	image_begin(&img, 1, ET_DYN);
	image_note(&img, 64, 4, &id_note);
	img.far = 0xfffffffffffff000;
	img.ehdr.e_phoff = img.far;
	img.ehdr.e_phnum = 1;
	img.ehdr.e_phentsize = sizeof(Elf64_Phdr);
	img.far_bytes = table.bytes;
	img.far_size = sizeof(Elf64_Phdr);
	img.file_size = img.far + img.far_size;
	finish(&img, 0, "far table");
	image_free(&table);
}

/* Put a note of @namesz and @descsz before the id, aligned as @p_align tells. */
static void one_alignment(u64 p_align, u32 namesz, u32 descsz)
{
	struct note before = { "some name", namesz, 3, "some text", descsz };
	u32 align = p_align == 8 ? 8 : 4;
	struct image img;
	u64 notes;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		image_begin(&img, kind, ET_DYN);
		image_segments(&img, 64, 1);
		notes = img.size;
		image_note(&img, image_note(&img, notes, align, &before), align,
			   &id_note);
		image_segment(&img, 0, PT_NOTE, notes, img.size - notes, p_align);
		image_end(&img);
		expect(&img, 0, "align %d name %u text %u %s", (int)p_align,
		       namesz, descsz, kind_name(kind));
		image_free(&img);
	}
}

static void alignments(void)
{
	static const u64 aligns[] = { 0, 1, 2, 4, 8, 16, 4096, ~0ULL };

	for (u32 i = 0; i < 8 * 10 * 10; i++)
		one_alignment(aligns[i % 8], i / 8 % 10, i / 80);
}

static void odd_offsets(void)
{
	struct image img;
	u64 notes;

	for (u32 i = 0; i < 2 * 16; i++) {
		u32 align = i % 2 ? 8 : 4;

		image_begin(&img, 1, ET_DYN);
		image_segments(&img, 64, 1);
		notes = img.size + i / 2;
		image_note(&img, image_note(&img, notes, align, &other_note),
			   align, &id_note);
		image_segment(&img, 0, PT_NOTE, notes, img.size - notes, align);
		finish(&img, 0, "offset plus %u align %u", i / 2, align);
	}
}

/* Notes that look nearly like a build-id */
static void foreign_notes(void)
{
	static const struct note notes[] = {
		{ "GNU", 3, 3, "0123456789", 8 },
		{ "GNU\0", 5, 3, "0123456789", 8 },
		{ "GNUx", 4, 3, "0123456789", 8 },
		{ "GNx", 4, 3, "0123456789", 8 },
		{ "gnu", 4, 3, "0123456789", 8 },
		{ "", 0, 3, "0123456789", 8 },
		{ "GNU", 4, 1, "0123456789", 8 },
		{ "GNU", 4, 0x03000000, "0123456789", 8 },
		{ "GNU", 4, 0x103, "0123456789", 8 },
		{ "GNU", 4, 3, "", 0 },
		{ "", 0, 0, "", 0 },
	};
	struct image img;
	u64 begin, end;

	for (unsigned int i = 0; i < 11 * IMAGE_KINDS; i++) {
		image_begin(&img, i % IMAGE_KINDS, ET_DYN);
		image_segments(&img, 64, 1);
		begin = img.size;
		end = image_note(&img, begin, 4, &notes[i / IMAGE_KINDS]);
		image_segment(&img, 0, PT_NOTE, begin, end - begin, 4);
		image_put(&img, end, NULL, 0);
		image_end(&img);
		expect(&img, PERFAUX_ID_NO_NOTE, "foreign note %u", i);
		image_note(&img, end, 4, &id_note);
		image_segment(&img, 0, PT_NOTE, begin, img.size - begin, 4);
		finish(&img, 0, "id behind foreign note %u", i);
	}
}

static void many_notes(void)
{
	struct image img;
	u64 begin, end;

	image_begin(&img, 1, ET_DYN);
	image_segments(&img, 64, 1);
	begin = img.size;
	end = begin;
	for (u32 i = 0; i < 4095; i++)
		end = image_note(&img, end, 4, &other_note);
	image_note(&img, end, 4, &id_note);
	image_segment(&img, 0, PT_NOTE, begin, img.size - begin, 4);
	finish(&img, 0, "4096 notes");
}

/* The file can end with the last note's description, without padding. */
static void last_note(void)
{
	struct note note = id_note;
	struct image_reader r;
	struct pa_elf_id id;
	struct image img;

	for (note.descsz = 1; note.descsz <= 20; note.descsz++) {
		image_begin(&img, 1, ET_DYN);
		image_segments(&img, 64, 1);
		image_note(&img, 120, 4, &note);
		image_segment(&img, 0, PT_NOTE, 120, 16 + note.descsz, 4);
		image_end(&img);
		image_reader_init(&r, &img);
		if (img.size != 136 + note.descsz || pa_elf_id(&r.reader, &id) ||
		    id.size != note.descsz ||
		    memcmp(id.data, true_id.data, id.size))
			fail("id of %u bytes", note.descsz);
		image_free(&img);
	}
}

/* Bytes after the last note that are too short for a note are not a note. */
static void padded_end(void)
{
	struct image img;
	u64 end;

	for (u32 size = 0; size < 12; size++) {
		image_begin(&img, 1, ET_DYN);
		image_segments(&img, 64, 1);
		end = image_note(&img, 120, 4, &other_note);
		image_put(&img, end, NULL, size);
		image_segment(&img, 0, PT_NOTE, 120, img.size - 120, 4);
		finish(&img, PERFAUX_ID_NO_NOTE, "padding of %u", size);
	}
}

static void extended_segments(void)
{
	Elf64_Shdr section = { 0 };
	struct image img;

	for (unsigned int i = 0; i < 4 * IMAGE_KINDS; i++) {
		static const u32 counts[] = { 1, 65534, 65535, 70000 };
		u32 nr = counts[i / IMAGE_KINDS];

		image_begin(&img, i % IMAGE_KINDS, ET_DYN);
		image_note(&img, 64, 4, &id_note);
		image_segments(&img, img.size, nr);
		image_segment(&img, nr - 1, PT_NOTE, 64, ID_NOTE_SIZE, 4);
		image_sections(&img, img.size, 1);
		section.sh_info = nr;
		image_section(&img, 0, &section);
		if (nr != 65534)
			img.ehdr.e_phnum = PN_XNUM;
		finish(&img, 0, "%u segments", nr);
	}
}

/* 65535 program headers, without a section 0 that gives another number */
static void not_extended(void)
{
	struct image img;

	for (unsigned int i = 0; i < 2 * IMAGE_KINDS; i++) {
		image_begin(&img, i % IMAGE_KINDS, ET_DYN);
		image_note(&img, 64, 4, &id_note);
		image_segments(&img, img.size, 65535);
		image_segment(&img, 65534, PT_NOTE, 64, ID_NOTE_SIZE, 4);
		if (i >= IMAGE_KINDS)
			image_sections(&img, img.size, 1);
		finish(&img, 0, "65535 segments, %u", i);
	}
}

static void extended_sections(void)
{
	Elf64_Shdr section = { 0 };
	struct image img;

	for (unsigned int i = 0; i < 3 * IMAGE_KINDS; i++) {
		static const u32 counts[] = { 2, 65280, 70000 };
		u32 nr = counts[i / IMAGE_KINDS];

		image_begin(&img, i % IMAGE_KINDS, ET_REL);
		image_note(&img, 64, 4, &id_note);
		image_sections(&img, img.size, nr);
		section.sh_size = nr;
		image_section(&img, 0, &section);
		image_note_section(&img, nr - 1, 64, ID_NOTE_SIZE, 4);
		img.ehdr.e_shnum = 0;
		finish(&img, 0, "%u sections", nr);
	}
}

/* Counts of tables that do not exist, and sizes of entries that are not used */
static void no_tables(void)
{
	struct image img;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		image_begin(&img, kind, ET_DYN);
		finish(&img, PERFAUX_ID_NO_NOTE, "no tables %s", kind_name(kind));
		section_image(&img, kind);
		img.ehdr.e_phentsize = 0;
		finish(&img, 0, "no segments %s", kind_name(kind));
		image_begin(&img, kind, ET_DYN);
		img.ehdr.e_phnum = 3;
		img.ehdr.e_phentsize = image_phdr_size(&img);
		finish(&img, PERFAUX_ID_NO_NOTE, "only segments at 0 %s",
		       kind_name(kind));
		image_begin(&img, kind, ET_DYN);
		img.ehdr.e_phoff = 1;
		finish(&img, PERFAUX_ID_NO_NOTE, "no segments at 1 %s",
		       kind_name(kind));
		section_image(&img, kind);
		img.ehdr.e_phnum = 3;
		finish(&img, 0, "segments at 0 %s", kind_name(kind));
		simple_image(&img, kind);
		img.ehdr.e_shnum = 3;
		img.ehdr.e_shentsize = 1;
		finish(&img, 0, "sections at 0 %s", kind_name(kind));
	}
}

/* The parser must use the first value that it has read of each byte. */
static void read_once(void)
{
	u8 seen[4096];
	struct image_reader r;
	struct pa_elf_id id;
	struct image img;

	for (unsigned int i = 0; i < 2 * IMAGE_KINDS; i++) {
		if (i < IMAGE_KINDS)
			simple_image(&img, i);
		else
			section_image(&img, i % IMAGE_KINDS);
		memset(seen, 0, sizeof(seen));
		image_reader_init(&r, &img);
		r.seen = seen;
		if (pa_elf_id(&r.reader, &id) ||
		    !is_true(&id))
			fail("image %u", i);
		image_free(&img);
	}
}

static void expect_notes(const struct image *img, u64 offset, u64 size,
			 u64 align, int result)
{
	struct image_reader r;
	struct pa_elf_id id;
	int ret;

	image_reader_init(&r, img);
	ret = pa_elf_notes(&r.reader, offset, size, align, &id);
	if (ret != result || (ret ? id.size != 0 : !is_true(&id)))
		fail("notes [%#llx, + %#llx), align %llu: result %d instead of %d",
		     (unsigned long long)offset, (unsigned long long)size,
		     (unsigned long long)align, ret, result);
}

static void notes_alone(void)
{
	struct image img = {
		.big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
	struct image foreign = { .big_endian = !img.big_endian };
	struct note five = { "12345", 5, 3, "12345", 5 };
	u64 begin = 7, end;

	end = image_note(&img, begin, 8, &five);
	image_note(&img, end, 8, &id_note);
	expect_notes(&img, begin, img.size - begin, 8, 0);
	expect_notes(&img, end, ID_NOTE_SIZE, 8, 0);
	expect_notes(&img, end, ID_NOTE_SIZE, 4, 0);
	expect_notes(&img, end, ID_NOTE_SIZE, 0, 0);
	expect_notes(&img, begin, end - begin, 8, PERFAUX_ID_NO_NOTE);
	expect_notes(&img, begin, 0, 8, PERFAUX_ID_NO_NOTE);
	expect_notes(&img, end, ID_NOTE_SIZE - 1, 4, PERFAUX_ID_TRUNCATED);
	expect_notes(&img, end, ID_NOTE_SIZE + 1, 4, 0);
	expect_notes(&img, begin, 1000, 8, 0);
	expect_notes(&img, img.size, 1, 4, PERFAUX_ID_TRUNCATED);
	expect_notes(&img, end, ~0ULL, 4, 0);
	expect_notes(&img, ~0ULL, ~0ULL, 4, PERFAUX_ID_TRUNCATED);
	image_note(&foreign, 0, 4, &id_note);
	expect_notes(&foreign, 0, ID_NOTE_SIZE, 4, PERFAUX_ID_TRUNCATED);
	image_free(&img);
	image_free(&foreign);
}

const struct test_case valid_cases[] = {
	{ "classes, byte orders and types", kinds },
	{ "sections", sections },
	{ "the first id wins", first_wins },
	{ "headers behind the notes", moved_headers },
	{ "headers and notes across pages", across_pages },
	{ "no page that is not needed", needed_pages },
	{ "notes far away", far_offsets },
	{ "program headers far away", far_table },
	{ "alignments", alignments },
	{ "odd offsets", odd_offsets },
	{ "foreign notes", foreign_notes },
	{ "4096 notes", many_notes },
	{ "a note without padding", last_note },
	{ "padding behind the last note", padded_end },
	{ "extended numbering of segments", extended_segments },
	{ "65535 segments without it", not_extended },
	{ "extended numbering of sections", extended_sections },
	{ "no tables", no_tables },
	{ "values are read once", read_once },
	{ "notes alone", notes_alone },
	{ NULL, NULL }
};
