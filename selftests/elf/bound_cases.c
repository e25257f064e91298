// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases that just meet or just exceed each bound of the parser, and files that cost the most.
 */
#include "test_elf_id.h"

static void id_sizes(void)
{
	static u8 bytes[PA_ELF_ID_MAX + 44];
	struct note note = { "GNU", 4, 3, bytes, 0 };
	struct image_reader r;
	struct pa_elf_id id;
	struct image img;

	for (u32 i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + 1;
	for (u32 size = 1; size <= sizeof(bytes); size++) {
		u32 kept = size < PA_ELF_ID_MAX ? size : PA_ELF_ID_MAX;

		note.descsz = size;
		image_begin(&img, 1, ET_DYN);
		image_segments(&img, 64, 1);
		image_note(&img, 120, 4, &note);
		image_segment(&img, 0, PT_NOTE, 120, img.size - 120, 4);
		image_end(&img);
		image_reader_init(&r, &img);
		if (pa_elf_id(&r.reader, &id) || id.size != kept ||
		    memcmp(id.data, bytes, kept))
			fail("id of %u bytes", size);
		image_free(&img);
	}
}

/*
 * Put the id in note number @nr, which is alone in the last of many segments. The
 * others have four notes each, because @nr segments would be too many.
 */
static void nth_note(u32 nr, int result)
{
	static const struct note empty = { "", 0, 0, "", 0 };
	u32 left = nr - 1, last = (left + 3) / 4;
	struct image img;
	u64 notes;

	image_begin(&img, 1, ET_DYN);
	image_segments(&img, 64, last + 1);
	notes = img.size;
	for (u32 i = 0; i < 4; i++)
		image_note(&img, notes + 12 * i, 4, &empty);
	for (u32 i = 0; i < last; i++, left -= 4)
		image_segment(&img, i, PT_NOTE, notes,
			      12 * (left < 4 ? left : 4), 4);
	notes = img.size;
	image_note(&img, notes, 4, &id_note);
	image_segment(&img, last, PT_NOTE, notes, ID_NOTE_SIZE, 4);
	finish(&img, result, "note %u in %u segments", nr, last + 1);
}

static void notes(void)
{
	nth_note(PA_ELF_MAX_NOTES, 0);
	nth_note(PA_ELF_MAX_NOTES + 1, PERFAUX_ID_TOO_LARGE);
}

/* Put the id in note number @nr of one segment. If @more, put it in another segment, too. */
static void nth_of_one(u32 nr, bool more, int result)
{
	u64 notes, last;
	struct image img;

	image_begin(&img, 1, ET_DYN);
	image_segments(&img, 64, 2);
	notes = img.size;
	/* Twelve zero bytes are a note without name and description. */
	last = notes + 12ULL * (nr - 1);
	image_note(&img, last, 4, &id_note);
	image_segment(&img, 0, PT_NOTE, notes, img.size - notes, 4);
	if (more)
		image_segment(&img, 1, PT_NOTE, last, ID_NOTE_SIZE, 4);
	finish(&img, result, "note %u of one segment", nr);
}

static void notes_of_one(void)
{
	nth_of_one(PA_ELF_MAX_NOTES_EACH, false, 0);
	nth_of_one(PA_ELF_MAX_NOTES_EACH + 1, false, PERFAUX_ID_TOO_LARGE);
	nth_of_one(PA_ELF_MAX_NOTES_EACH + 1, true, 0);
	nth_of_one(100 * PA_ELF_MAX_NOTES_EACH, true, 0);
}

/*
 * Put the id in the last of @sections sections, or in the last of @segments program headers if
 * there is one section only. A count of 0 means no table.
 */
static void nth_header(unsigned int kind, u32 segments, u32 sections, int result)
{
	Elf64_Shdr section = { .sh_info = segments, .sh_size = sections };
	struct image img;

	image_begin(&img, kind, ET_DYN);
	image_note(&img, 64, 4, &id_note);
	if (segments)
		image_segments(&img, img.size, segments);
	image_sections(&img, img.size + 1, sections);
	img.ehdr.e_shnum = 0;
	image_section(&img, 0, &section);
	if (sections > 1)
		image_note_section(&img, sections - 1, 64, ID_NOTE_SIZE, 4);
	else
		image_segment(&img, segments - 1, PT_NOTE, 64, ID_NOTE_SIZE, 4);
	finish(&img, result, "%u segments, %u sections %s", segments, sections,
	       kind_name(kind));
}

static void headers(void)
{
	const u32 max = PA_ELF_MAX_HEADERS;

	for (unsigned int kind = 0; kind < IMAGE_KINDS; kind++) {
		nth_header(kind, 4096, 1, 0);
		nth_header(kind, max, 1, 0);
		nth_header(kind, max + 1, 1, PERFAUX_ID_TOO_LARGE);
		nth_header(kind, 0, max, 0);
		nth_header(kind, 0, max + 1, PERFAUX_ID_TOO_LARGE);
		nth_header(kind, max / 2, max / 2, 0);
		nth_header(kind, max / 2, max / 2 + 1, PERFAUX_ID_TOO_LARGE);
	}
}

/* The parser must report TOO_LARGE, whatever else is wrong. */
static void causes(void)
{
	Elf64_Shdr section = { .sh_info = PA_ELF_MAX_HEADERS + 1 };
	struct image img;

	image_begin(&img, 1, ET_DYN);
	image_segments(&img, 64, PA_ELF_MAX_HEADERS + 1);
	image_segment(&img, 0, PT_NOTE, ~0ULL, 1, 4);
	image_sections(&img, img.size, 1);
	image_section(&img, 0, &section);
	finish(&img, PERFAUX_ID_TOO_LARGE, "TRUNCATED and TOO_LARGE");

	image_begin(&img, 1, ET_DYN);
	image_segments(&img, 64, 2);
	image_put(&img, img.size, NULL, 12 * (PA_ELF_MAX_NOTES_EACH + 1));
	image_segment(&img, 0, PT_NOTE, 176, img.size - 176, 4);
	image_segment(&img, 1, PT_NOTE, img.size, 1, 4);
	finish(&img, PERFAUX_ID_TOO_LARGE, "TOO_LARGE and TRUNCATED");
}

/* The reader fails the test if the parser makes too many reads. */
static void costly(unsigned int kind, u64 offset, u32 nr, u64 notes, u64 size)
{
	Elf64_Shdr section = { .sh_info = nr, .sh_size = nr };
	struct image img;

	image_begin(&img, kind, ET_DYN);
	image_segments(&img, offset, nr);
	for (u32 i = 0; i < nr; i++)
		image_segment(&img, i, PT_NOTE, notes, size, 4);
	image_sections(&img, img.size + 1, 2);
	image_section(&img, 0, &section);
	image_put(&img, img.size, NULL, 16 * nr);
	finish(&img, PERFAUX_ID_TOO_LARGE, "%u headers at %llu, %llu bytes of notes",
	       nr, (unsigned long long)offset, (unsigned long long)size);
}

static void costs(void)
{
	const u32 max = PA_ELF_MAX_HEADERS;

	for (unsigned int i = 0; i < 2 * IMAGE_KINDS; i++) {
		u64 offset = i / IMAGE_KINDS ? 4095 : 64;

		/* The notes of each header are the whole file, one note, and nearly one. */
		costly(i % IMAGE_KINDS, offset, max + 5, 64, ~0ULL);
		costly(i % IMAGE_KINDS, offset, max + 5, 2, 12);
		costly(i % IMAGE_KINDS, offset, max + 5, 2, 11);
	}
}

const struct test_case bound_cases[] = {
	{ "sizes of the id", id_sizes },
	{ "number of notes", notes },
	{ "number of notes of a segment", notes_of_one },
	{ "number of headers", headers },
	{ "too large before other causes", causes },
	{ "costs of hostile files", costs },
	{ NULL, NULL }
};
