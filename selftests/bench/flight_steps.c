// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight_steps: for good, calls one of two functions. Which one is a bit of a sequence of
 * 2^32 - 1, so that any 32 calls in succession say where in it they are.
 *
 * flight_steps read: of such calls from a trace, as perf script prints them, how many there
 * are ("steps N"), and at each place where they do not follow each other, how many are
 * missing there ("hole N").
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BITS	32
#define FAR	(1U << 28)	/* a second or two of a fast machine */

/* x^32 + x^22 + x^2 + x + 1; bit 0 is the oldest one */
static uint32_t next(uint32_t s)
{
	return s >> 1 | ((s ^ s >> 10 ^ s >> 30 ^ s >> 31) & 1) << 31;
}

/* What they do differs: equal functions would become one. */
__attribute__((noinline)) void step_zero(void)
{
	__asm__ volatile("" : : "i"(0));
}

__attribute__((noinline)) void step_one(void)
{
	__asm__ volatile("nop" : : "i"(1));
}

/* Does not return. */
static void go(void)
{
	uint32_t s = 1;

	for (;; s = next(s)) {
		if (s & 1)
			step_one();
		else
			step_zero();
	}
}

/* The next call: false at the end. */
static bool read_step(uint32_t *bit)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin)) {
		const char *to = strstr(line, "=>");

		if (!to || !strstr(line, "call"))
			continue;
		*bit = !!strstr(to, "step_one");
		if (*bit || strstr(to, "step_zero"))
			return true;
	}
	return false;
}

/* @s and the next calls, to the 32nd, as what makes them: false if there are not as many. */
static bool read_place(uint32_t *s, int calls, uint64_t *steps)
{
	uint32_t bit;

	for (; calls < BITS; calls++) {
		if (!read_step(&bit))
			return false;
		*s = *s >> 1 | bit << 31;
		++*steps;
	}
	return true;
}

static void print_hole(uint32_t from, uint32_t to)
{
	uint32_t n = 0;
	int i;

	for (i = 0; i < BITS; i++)
		from = next(from);
	for (; from != to && n < FAR; n++)
		from = next(from);
	printf(n < FAR ? "hole %u\n" : "hole: no place in the next %u steps\n", n);
}

static int read_trace(void)
{
	uint32_t here = 0, there, bit;
	uint64_t steps = 0;
	bool more = read_place(&here, 0, &steps);

	while (more && read_step(&bit)) {
		steps++;
		there = here >> 1 | bit << 31;
		if (there != next(here)) {
			/*
			 * If some before this one belong behind the hole, they were by chance as
			 * if nothing was missing. This one and the next ones are behind it.
			 */
			there = bit << 31;
			more = read_place(&there, 1, &steps);
			if (more)
				print_hole(here, there);
		}
		here = there;
	}
	printf("steps %llu\n", (unsigned long long)steps);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "read"))
		return read_trace();
	go();
	return 0;
}
