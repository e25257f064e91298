// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with everything that a trace must follow: work all|calls
 * [N]|threads|fork|crash
 *
 * The instructions of "all" and "calls" are the same each time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;
static volatile sig_atomic_t signals;
static jmp_buf jump;
static sigjmp_buf sigjump;

/* Deeper than return compression remembers */
static unsigned long __attribute__((noinline)) recurse(unsigned int n)
{
	if (!n)
		return 1;
	return recurse(n - 1) + n;
}

static unsigned long add(unsigned long a, unsigned long b)
{
	return a + b;
}

static unsigned long xor(unsigned long a, unsigned long b)
{
	return a ^ b;
}

static unsigned long deep(unsigned long a, unsigned long b)
{
	return recurse(a % 100) + b;
}

static void tables(void)
{
	static unsigned long (*const table[])(unsigned long, unsigned long) = {
		add, xor, deep,
	};

	for (volatile unsigned int i = 0; i < 100; i++)
		sum = table[i % 3](sum, i);
}

/* Make much trace: each indirect call has a packet with its target. */
static void calls(unsigned long nr)
{
	static unsigned long (*const table[])(unsigned long, unsigned long) = {
		add, xor,
	};

	for (volatile unsigned long i = 0; i < nr; i++)
		sum = table[i % 2](sum, i);
}

static void __attribute__((noinline)) leave(unsigned int n)
{
	if (n)
		leave(n - 1);
	else if (sum)
		longjmp(jump, 1);
	sum++;
}

static void jumps(void)
{
	for (volatile int i = 0; i < 10; i++)
		if (!setjmp(jump))
			leave(i);
}

static void on_signal(int sig)
{
	signals += sig;
}

static void on_fault(int sig)
{
	signals += sig;
	siglongjmp(sigjump, 1);
}

static void on_trap(int sig)
{
	signals += sig;
}

static void signals_and_faults(void)
{
	/*
	 * Do not block SIGTRAP: a step under ptrace would find it blocked, and
	 * remove the handler.
	 */
	static const struct sigaction trap = {
		.sa_handler = on_trap, .sa_flags = SA_NODEFER,
	};
	int *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGSEGV, on_fault);
	signal(SIGILL, on_fault);
	sigaction(SIGTRAP, &trap, NULL);
	for (volatile int i = 0; i < 5; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
		if (!sigsetjmp(sigjump, 1))
			*(volatile int *)nowhere = 1;
		if (!sigsetjmp(sigjump, 1))
			asm volatile("ud2");
		asm volatile("int3");
	}
}

static void strings(void)
{
	static char from[300], to[300];
	void *di = to, *si = from;
	unsigned long n = 100;

	asm volatile("rep movsb" : "+D"(di), "+S"(si), "+c"(n) : : "memory");
	n = 0;
	asm volatile("rep movsq" : "+D"(di), "+S"(si), "+c"(n) : : "memory");
	n = sizeof(to);
	di = to;
	asm volatile("repne scasb" : "+D"(di), "+c"(n) : "a"(0) : "cc", "memory");
	n = 10;
	di = to;
	asm volatile("rep stosl" : "+D"(di), "+c"(n) : "a"(7) : "memory");
}

/* Do things that few programs do. */
static void odd(void)
{
	unsigned long n = 5;

	asm volatile("pushf; pop %%rax; push %%rax; popf\n\t"
		     "mov %%ss, %%eax; mov %%eax, %%ss; nop; nop\n\t"
		     "1: loop 1b\n\t"
		     "jrcxz 2f; ud2\n"
		     "2: call 3f\n"
		     "3: pop %%rax\n\t"
		     "notrack jmp *%1\n\t" : "+c"(n) : "m"((void *){ &&out }) :
		     "rax", "cc", "memory");
out:
	sum += n;
	/*
	 * These are the instructions that uprobes make of a NOP, but here they are
	 * the program's own. They are executed twice, and the CALL leads into the
	 * same code.
	 */
	asm volatile("mov $2, %%ecx\n"
		     "1: lea -0x80(%%rsp), %%rsp\n\t"
		     "call 2f\n\t"
		     "sub $-0x80, %%rsp\n\t"
		     "loop 1b\n\t"
		     "jmp 3f\n"
		     "2: ret\n"
		     "3:" : : : "rcx", "cc", "memory");
}

static void *thread(void *arg)
{
	for (int i = 0; i < 200; i++)
		__atomic_add_fetch(&sum, recurse((uintptr_t)arg), __ATOMIC_RELAXED);
	return NULL;
}

static void threads(void)
{
	pthread_t id[3];

	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&id[i], NULL, thread, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
}

/* Start a child that is killed, and one that executes a program. */
static void children(char *self)
{
	struct timespec now;
	pid_t pid = fork();

	/* A function of the vdso */
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!pid)
		for (;;)
			recurse(3);
	usleep(1000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	pid = vfork();
	if (!pid) {
		execl(self, self, "nothing", NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "all")) {
		sum += recurse(150);
		tables();
		jumps();
		signals_and_faults();
		strings();
		odd();
	} else if (!strcmp(what, "calls")) {
		calls(argc > 2 ? strtoul(argv[2], NULL, 0) : 5000);
	} else if (!strcmp(what, "threads")) {
		threads();
	} else if (!strcmp(what, "fork")) {
		children(argv[0]);
	} else if (!strcmp(what, "crash")) {
		*(volatile int *)(sum + 8) = 1;
	}
	return 0;
}
