// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with two secret words in its memory, and in the code and registers that
 * work on them. Nobody else may have these words.
 */
#define _GNU_SOURCE
#include <stdint.h>

#include "mark.h"

#define TIMES		200

MARK(0, odd)
MARK(1, even)

static volatile char data[] = "Zyxwvuts-in-data";

int main(void)
{
	/* In the code itself, as a constant of eight bytes */
	volatile uint64_t code = 0x65646f632d6e4953;
	volatile unsigned long sum = 0;
	int i;

	for (i = 0; i < TIMES; i++) {
		sum += data[i % 16] * code;
		if (i & 1)
			mark_odd();
		else
			mark_even();
	}
	marks_print();
	return 0;
}
