// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recognize the characters of UTF-8.
 */
#include "base/utf8.h"

int utf8_length(const char *string)
{
	static const struct {
		unsigned char mask, lead;
	} kinds[] = {
		{ 0xe0, 0xc0 }, { 0xf0, 0xe0 }, { 0xf8, 0xf0 },
	};
	const unsigned char *s = (const unsigned char *)string;
	int i, k;

	if (s[0] < 0x80)
		return 1;
	for (k = 0; k < 3; k++) {
		if ((s[0] & kinds[k].mask) != kinds[k].lead)
			continue;
		for (i = 1; i <= k + 1; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return 0;
		}
		/* overlong, surrogates, beyond U+10FFFF */
		if (s[0] < 0xc2 || s[0] > 0xf4 ||
		    (s[0] == 0xe0 && s[1] < 0xa0) ||
		    (s[0] == 0xed && s[1] > 0x9f) ||
		    (s[0] == 0xf0 && s[1] < 0x90) ||
		    (s[0] == 0xf4 && s[1] > 0x8f))
			return 0;
		return k + 2;
	}
	return 0;
}
