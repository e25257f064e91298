/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What targets know of notes without the code that they try.
 */
#ifndef SELFTESTS_FUZZ_NOTE_H
#define SELFTESTS_FUZZ_NOTE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

struct note_bytes {
	const __u8 *data;
	size_t size;
	bool big_endian;
};

/* Of an ELF file, whatever else is wrong with it. */
bool note_big_endian(const __u8 *data, size_t size);

/*
 * Is this the id of some note, or are these the first @max bytes of a longer one? Then
 * it was not made up.
 */
bool note_has_id(const struct note_bytes *in, const __u8 *id, size_t size, size_t max);

#endif /* SELFTESTS_FUZZ_NOTE_H */
