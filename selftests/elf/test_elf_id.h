/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Test cases of module/ids/elf_id.c and what they share.
 */
#ifndef TEST_ELF_ID_H
#define TEST_ELF_ID_H

#include "ids/elf_id.h"
#include "image.h"

/* Reads an image, and holds the parser to the contract of a reader. */
struct image_reader {
	struct pa_elf_reader reader;
	const struct image *img;
	u32 reads;
	u64 bytes;
	u64 last_page;		/* highest page that was touched */
	u32 fail_at;		/* this read, from 1 on, fails ... */
	int error;		/* ... with this */
	u8 *seen;		/* a byte reads as its inverse the second time */
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

/* The id that is to be found, and one that is not. */
extern const struct note id_note, decoy_note, other_note;
extern const struct pa_elf_id true_id;

bool is_true(const struct pa_elf_id *id);

/* 16: header and name of a note; 20: our ids */
#define ID_NOTE_SIZE	36

/* Fails the case that runs now. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The result must be @result, with the true id if and only if that is
 * PERFAUX_ID_FOUND.
 */
void expect(const struct image *img, int result, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* image_end(), expect(), keep as a seed of the fuzzer if small, image_free() */
void finish(struct image *img, int result, const char *what, ...)
	__attribute__((format(printf, 3, 4)));

/* A file with one segment that has one note, the id; headers first. */
void simple_image(struct image *img, unsigned int kind);
/* A relocatable one with sections: none, a note that is not the id, the id. */
void section_image(struct image *img, unsigned int kind);
const char *kind_name(unsigned int kind);

#endif /* TEST_ELF_ID_H */
