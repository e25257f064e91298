// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_elf_id [-c DIR]: run the test cases of module/ids/elf_id.c.
 *
 * Prints TAP. With -c, write the small images of the test cases to DIR, as inputs
 * for the fuzzer's corpus.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test_elf_id.h"

#define PAGE		4096
#define MAX_SEED	2048

static const u8 id_bytes[20] = {
	0x8f, 0x11, 0xc3, 0x5a, 0x77, 0x02, 0xe9, 0xb4, 0x6d, 0x90,
	0x2b, 0xfe, 0x41, 0xd8, 0x13, 0xa6, 0x5f, 0xcc, 0x38, 0x99,
};

static const u8 decoy_bytes[20] = "this is the wrong id";

const struct note id_note = { "GNU", 4, 3, id_bytes, sizeof(id_bytes) };
const struct note decoy_note = { "GNU", 4, 3, decoy_bytes, sizeof(decoy_bytes) };
const struct note other_note = { "stapsdt", 8, 3, "tapset", 7 };
const struct pa_elf_id true_id = {
	.size = sizeof(id_bytes),
	.data = {
		0x8f, 0x11, 0xc3, 0x5a, 0x77, 0x02, 0xe9, 0xb4, 0x6d, 0x90,
		0x2b, 0xfe, 0x41, 0xd8, 0x13, 0xa6, 0x5f, 0xcc, 0x38, 0x99,
	},
};

static int nr_tests, nr_failed;
static int failures;	/* of the current case */
static const char *corpus;

void fail(const char *format, ...)
{
	va_list args;

	/* Some lines are enough: a case can fail thousands of times. */
	if (failures++ > 20)
		return;
	va_start(args, format);
	printf("# ");
	vprintf(format, args);
	putchar('\n');
	va_end(args);
}

static void change(struct image_reader *r, u64 offset, u8 *bytes, u32 len)
{
	if (r->noise) {
		r->noise = r->noise * 1103515245 + 12345;
		bytes[(r->noise >> 8) % len] ^= 1 << (r->noise >> 29);
	}
	for (u32 i = 0; r->seen && i < len; i++) {
		if (r->seen[offset + i])
			bytes[i] = ~bytes[i];
		r->seen[offset + i] = true;
	}
}

static void copy(const struct image *img, u64 offset, u8 *bytes, u32 len)
{
	for (u32 i = 0; i < len; i++, offset++) {
		if (offset < img->size)
			bytes[i] = img->bytes[offset];
		else if (offset - img->far < img->far_size)
			bytes[i] = img->far_bytes[offset - img->far];
		else
			bytes[i] = 0;
	}
}

static int read_image(struct pa_elf_reader *reader, u64 offset, void *buf,
		      u32 len)
{
	struct image_reader *r = (struct image_reader *)reader;
	u64 end;

	if (!len || len > PA_ELF_BATCH || check_add_overflow(offset, len, &end) ||
	    end > reader->size) {
		fail("read of %u at %#llx", len, (unsigned long long)offset);
		return -EFAULT;
	}
	r->reads++;
	r->bytes += len;
	if (r->last_page < (end - 1) / PAGE)
		r->last_page = (end - 1) / PAGE;
	if (r->reads > PA_ELF_MAX_READS || r->bytes > PA_ELF_MAX_BYTES) {
		fail("%u reads, %llu bytes", r->reads,
		     (unsigned long long)r->bytes);
		return -EFAULT;
	}
	if (r->reads == r->fail_at)
		return r->error;
	copy(r->img, offset, buf, len);
	change(r, offset, buf, len);
	return 0;
}

void image_reader_init(struct image_reader *r, const struct image *img)
{
	memset(r, 0, sizeof(*r));
	r->reader.read = read_image;
	r->reader.size = img->file_size ?: img->size;
	r->img = img;
}

static void keep_seed(const struct image *img, const char *what)
{
	char path[PATH_MAX];
	FILE *file;

	if (!corpus || img->size > MAX_SEED || img->far_size)
		return;
	snprintf(path, sizeof(path), "%s/%s", corpus, what);
	for (char *c = path + strlen(corpus) + 1; *c; c++) {
		if (*c == ' ' || *c == '/')
			*c = '-';
	}
	file = fopen(path, "w");
	if (!file || (img->size && fwrite(img->bytes, img->size, 1, file) != 1) ||
	    fclose(file))
		err(2, "%s", path);
}

bool is_true(const struct pa_elf_id *id)
{
	return !memcmp(id, &true_id, sizeof(*id));
}

static void vexpect(const struct image *img, int result, bool seed,
		    const char *format, va_list args)
{
	struct image_reader r;
	struct pa_elf_id id;
	char what[128];
	int ret;

	vsnprintf(what, sizeof(what), format, args);
	if (seed)
		keep_seed(img, what);
	memset(&id, 0xee, sizeof(id));
	image_reader_init(&r, img);
	ret = pa_elf_id(&r.reader, &id);
	if (ret != result)
		fail("%s: result %d instead of %d", what, ret, result);
	else if (ret ? id.size != 0 : !is_true(&id))
		fail("%s: result %d, wrong id of %u bytes", what, ret, id.size);
}

void expect(const struct image *img, int result, const char *what, ...)
{
	va_list args;

	va_start(args, what);
	vexpect(img, result, false, what, args);
	va_end(args);
}

void finish(struct image *img, int result, const char *what, ...)
{
	va_list args;

	image_end(img);
	va_start(args, what);
	vexpect(img, result, true, what, args);
	va_end(args);
	image_free(img);
}

const char *kind_name(unsigned int kind)
{
	static const char * const names[IMAGE_KINDS] = {
		"32le", "64le", "32be", "64be",
	};

	return names[kind];
}

void simple_image(struct image *img, unsigned int kind)
{
	u64 notes;

	image_begin(img, kind, ET_DYN);
	image_segments(img, 64, 2);
	notes = img->size;
	image_note(img, notes, 4, &id_note);
	image_segment(img, 0, PT_LOAD, 0, img->size, PAGE);
	image_segment(img, 1, PT_NOTE, notes, ID_NOTE_SIZE, 4);
	image_end(img);
}

void section_image(struct image *img, unsigned int kind)
{
	u64 other = 64, notes;

	image_begin(img, kind, ET_REL);
	notes = image_note(img, other, 4, &other_note);
	image_note(img, notes, 4, &id_note);
	image_sections(img, img->size, 3);
	image_note_section(img, 1, other, notes - other, 4);
	image_note_section(img, 2, notes, ID_NOTE_SIZE, 4);
	image_end(img);
}

static void run(const struct test_case *cases)
{
	for (; cases->name; cases++) {
		failures = 0;
		cases->run();
		printf("%sok %d - %s\n", failures ? "not " : "", ++nr_tests,
		       cases->name);
		fflush(stdout);
		nr_failed += !!failures;
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "-c"))
		corpus = argv[2];
	else if (argc != 1)
		errx(2, "usage: %s [-c DIR]", argv[0]);
	puts("TAP version 13");
	run(valid_cases);
	run(damaged_cases);
	run(bound_cases);
	printf("1..%d\n", nr_tests);
	return nr_failed > 0;
}
