/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Packets to instruction pointers, by libipt.
 */
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
 * The first position where they differ, or -1. One that ends before the other
 * differs at its end.
 */
long ips_differ(const struct ips *a, const struct ips *b);

/*
 * Adds to @ips each instruction that @pt says was executed. @image has the code.
 * Returns the number of errors, and says what they were on stderr. Goes on at
 * the next PSB behind one.
 */
int pt_to_ips(const uint8_t *pt, size_t size, struct pt_image *image,
	      struct ips *ips);

/* libipt's image of sections: FILE OFFSET SIZE ADDRESS, one a line */
struct pt_image *image_load(const char *list);

#endif /* SOFTPT_LIBIPT_H */
