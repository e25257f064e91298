// SPDX-License-Identifier: GPL-2.0-only
/*
 * flight_steps: call one of two functions again and again, until the program is killed. The
 * next bit of a sequence of 2^32 - 1 bits decides which function, so any 32 successive calls
 * tell their position in the sequence.
 *
 * flight_steps read: read such calls of a trace, as perf script prints them. Print how many
 * calls there are ("steps N"), and for each place where calls are missing, how many are
 * missing ("hole N").
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BITS	32
#define FAR	(1U << 28)	/* calls of a second or two on a fast machine */

/* x^32 + x^22 + x^2 + x + 1; bit 0 is the oldest bit */
static uint32_t next(uint32_t s)
{
	return s >> 1 | ((s ^ s >> 10 ^ s >> 30 ^ s >> 31) & 1) << 31;
}

/* The bodies differ, because the compiler would merge equal functions. */
__attribute__((noinline)) void step_zero(void)
{
	__asm__ volatile("" : : "i"(0));
}

__attribute__((noinline)) void step_one(void)
{
	__asm__ volatile("nop" : : "i"(1));
}

/* Call the functions. This does not return. */
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

/* Read the next call. Return false at the end. */
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

/* @s has @calls calls. Read more until it has 32. Return false if the trace ends before that. */
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
			 * This call is after the hole, as are the next ones. Some calls before it
			 * may also be after the hole, if they agreed with the sequence by chance.
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
