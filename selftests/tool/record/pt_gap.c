// SPDX-License-Identifier: GPL-2.0-only
/*
 * pt_gap FILE: a program whose trace loses its middle part. The program stops auxrec, its parent,
 * which writes to FILE, until the pool is full. Each of the three parts has its own function.
 */
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile unsigned long sum;

static void __attribute__((noinline)) add(unsigned int n)
{
	sum += n;
}

static void __attribute__((noinline)) xor(unsigned int n)
{
	sum ^= n;
}

/* Indirect calls take the most room in a trace. */
static void call(unsigned int nr)
{
	static void (*volatile table[])(unsigned int) = { add, xor };
	unsigned int i;

	for (i = 0; i < nr; i++)
		table[i & 1](i);
}

static void __attribute__((noinline)) before(void)
{
	call(100);
}

static void __attribute__((noinline)) during(void)
{
	call(20000);
}

static void __attribute__((noinline)) after(void)
{
	call(101);
}

static off_t size_of(const char *file)
{
	struct stat st;

	return stat(file, &st) ? 0 : st.st_size;
}

int main(int argc, char **argv)
{
	off_t last, size;

	if (argc != 2)
		return 2;
	before();
	size = size_of(argv[1]);
	kill(getppid(), SIGSTOP);
	during();
	kill(getppid(), SIGCONT);
	/* auxrec releases segments after it has written their data, which makes FILE grow. */
	while (size_of(argv[1]) <= size)
		usleep(10000);
	do {
		last = size_of(argv[1]);
		usleep(100000);
	} while (size_of(argv[1]) != last);
	after();
	return 0;
}
