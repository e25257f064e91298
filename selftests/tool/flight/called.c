// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with functions for probes. For each line of input it makes the calls that the line asks
 * for. When they have returned, it prints an upper limit of the ns that the last call took:
 *
 * call N		call called() N times
 * wait MS [THREADS]	call waits() once, or once in each of THREADS threads at the same time. It
 *			takes MS ms
 * recurse MS [DEPTH]	call recurses(), which calls itself, once or DEPTH times. The innermost
 *			call takes no time, and each other call returns MS ms later
 * jump MS		call leaps(), which longjmp() leaves. MS ms later, call it from the same
 *			place, and it returns immediately. The time is that of this call
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX	64
#define FUNCTION	__attribute__((noinline, noclone))

static jmp_buf out;

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void pause_ms(long ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left))
		;
}

static FUNCTION int called(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i;
}

static FUNCTION void *waits(void *ms)
{
	pause_ms(*(long *)ms);
	return NULL;
}

static FUNCTION int recurses(int depth, long ms)
{
	int sum = depth ? recurses(depth - 1, ms) : 0;

	if (depth && ms)
		pause_ms(ms);
	__asm__ volatile("" : "+r"(sum));
	return sum + 1;
}

static FUNCTION int leaps(int leap)
{
	__asm__ volatile("" : "+r"(leap));
	if (leap)
		longjmp(out, 1);
	return leap;
}

static void in_threads(long ms, int nr)
{
	pthread_t threads[THREADS_MAX];
	int i, made;

	for (made = 0; made < nr && made < THREADS_MAX; made++)
		if (pthread_create(&threads[made], NULL, waits, &ms))
			break;
	for (i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
}

/* Return the time at which the last call began. */
static long long jump(long ms)
{
	volatile long long began;
	volatile int leap;

	/* One call in the source, so that both calls have the same stack. */
	for (leap = 1; leap >= 0; leap--) {
		began = now();
		if (!setjmp(out))
			leaps(leap);
		if (leap)
			pause_ms(ms);
	}
	return began;
}

int main(void)
{
	char line[64], what[16];
	long long began;
	int threads, i;
	long nr;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		threads = 0;
		if (sscanf(line, "%15s %ld %d", what, &nr, &threads) < 2)
			return 2;
		began = now();
		if (!strcmp(what, "call"))
			for (i = 0; i < nr; i++)
				called(i);
		else if (!strcmp(what, "wait") && threads)
			in_threads(nr, threads);
		else if (!strcmp(what, "wait"))
			waits(&nr);
		else if (!strcmp(what, "recurse"))
			recurses(threads ?: 1, nr);
		else if (!strcmp(what, "jump"))
			began = jump(nr);
		printf("%lld\n", now() - began);
	}
	return 0;
}
