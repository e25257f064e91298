/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Search a bitmap that others change meanwhile. find_next_bit() reads the words without
 * READ_ONCE(): the compiler may read a word twice, and KCSAN reports a race.
 */
#ifndef PERFAUX_RING_BITS_H
#define PERFAUX_RING_BITS_H

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>

/* Return the first set bit of the @nr bits at @bits from bit @i on, or @nr. */
static inline unsigned int pa_next_bit(const unsigned long *bits, unsigned int nr, unsigned int i)
{
	unsigned long word;

	if (i >= nr)
		return nr;
	word = READ_ONCE(bits[BIT_WORD(i)]) & ~0UL << i % BITS_PER_LONG;
	i -= i % BITS_PER_LONG;
	while (!word) {
		i += BITS_PER_LONG;
		if (i >= nr)
			return nr;
		word = READ_ONCE(bits[BIT_WORD(i)]);
	}
	return i + __ffs(word);
}

#endif /* PERFAUX_RING_BITS_H */
