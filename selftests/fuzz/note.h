/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simple search for notes of ELF files, which shares no code with the parsers under test.
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

/* Is this the header of a big-endian ELF file? The rest of the file can be wrong. */
bool note_big_endian(const __u8 *data, size_t size);

/*
 * Does some note contain this id, or a longer id that begins with these @max bytes? If not, a
 * parser made the id up.
 */
bool note_has_id(const struct note_bytes *in, const __u8 *id, size_t size, size_t max);

#endif /* SELFTESTS_FUZZ_NOTE_H */
