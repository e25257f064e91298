/* SPDX-License-Identifier: GPL-2.0-only */
/* Decode packets to instruction pointers, with libipt. */
#ifndef SOFTPT_LIBIPT_H
#define SOFTPT_LIBIPT_H

#include <stddef.h>
#include <stdint.h>

struct pt_image;

struct ips {
	uint64_t *ip;
	size_t nr;
	size_t room;
};

void ips_add(struct ips *ips, uint64_t ip);
void ips_free(struct ips *ips);

/*
 * Return the first position where the lists differ, or -1. If one list ends before the
 * other, they differ at the end of the shorter one.
 */
long ips_differ(const struct ips *a, const struct ips *b);

/*
 * Add to @ips each instruction that was executed according to @pt. @image has the
 * code. Returns the number of errors, and prints them on stderr. After an error,
 * decoding continues at the next PSB.
 */
int pt_to_ips(const uint8_t *pt, size_t size, struct pt_image *image,
	      struct ips *ips);

/* Load libipt's image from a list of sections: FILE OFFSET SIZE ADDRESS, one a line. */
struct pt_image *image_load(const char *list);

#endif /* SOFTPT_LIBIPT_H */
