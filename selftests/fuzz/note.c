// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simple search for notes of ELF files, which shares no code with the parsers under test.
 */
#include <string.h>

#include "note.h"

/* Size of namesz, descsz, type, and "GNU" */
#define NOTE_HEAD	16
#define NOTE_BUILD_ID	3

static __u32 value(const struct note_bytes *in, const __u8 *at)
{
	return in->big_endian ?
	       (__u32)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3] :
	       (__u32)at[3] << 24 | at[2] << 16 | at[1] << 8 | at[0];
}

bool note_big_endian(const __u8 *data, size_t size)
{
	return size > 5 && data[5] == 2;
}

bool note_has_id(const struct note_bytes *in, const __u8 *id, size_t size, size_t max)
{
	size_t at;

	for (at = 0; at + NOTE_HEAD + size <= in->size; at++) {
		const __u8 *note = in->data + at;
		const __u32 desc = value(in, note + 4);

		if (!memcmp(note + 12, "GNU", 4) && value(in, note) == 4 &&
		    (desc < max ? desc : max) == size &&
		    value(in, note + 8) == NOTE_BUILD_ID &&
		    !memcmp(note + NOTE_HEAD, id, size))
			return true;
	}
	return false;
}
