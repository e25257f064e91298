/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The test cases of module/ids/elf_id.c, and functions that they share.
 */
#ifndef TEST_ELF_ID_H
#define TEST_ELF_ID_H

#include "ids/elf_id.h"
#include "image.h"

/* A reader of an image. It checks that the parser follows the rules for calling a reader. */
struct image_reader {
	struct pa_elf_reader reader;
	const struct image *img;
	u32 reads;
	u64 bytes;
	u64 last_page;		/* the highest page that was read */
	u32 fail_at;		/* number of the read that fails; the first is 1 */
	int error;		/* the error of that read */
	u8 *seen;		/* if set, the second read of a byte returns its inverse */
	u32 noise;		/* seed: each read inverts some bit; 0: none */
};

void image_reader_init(struct image_reader *r, const struct image *img);

struct test_case {
	const char *name;
	void (*run)(void);
};

extern const struct test_case valid_cases[];
extern const struct test_case damaged_cases[];
extern const struct test_case bound_cases[];

/* The notes with the id that the parser must find, and with others that it must not. */
extern const struct note id_note, decoy_note, other_note;
extern const struct pa_elf_id true_id;

bool is_true(const struct pa_elf_id *id);

/* 16 bytes are the header and name of a note, 20 bytes the id. */
#define ID_NOTE_SIZE	36

/* Let the current case fail. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Check that the parser returns @result, and the true id if and only if @result is
 * PERFAUX_ID_FOUND.
 */
void expect(const struct image *img, int result, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* Call image_end() and expect(), keep a small image as input of the fuzzer, call image_free(). */
void finish(struct image *img, int result, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* Make a file with one segment, which has one note with the id. Headers come first. */
void simple_image(struct image *img, unsigned int kind);
/* Make a relocatable file with three sections: none, another note, the note with the id. */
void section_image(struct image *img, unsigned int kind);
const char *kind_name(unsigned int kind);

#endif /* TEST_ELF_ID_H */
