// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with critical sections of rseq: rseq TIMES
 *
 * The sections are aborted by signals, preemption, migration, and by membarrier(2),
 * which needs no task switch. The program counts the sections that were completed,
 * and those that were not.
 */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "mark.h"

#define THREADS	3

MARK(0, committed)
MARK(1, aborted)
MARK(2, handler)

static int times, running = THREADS;

/* Returns whether the section was completed. */
static int section(struct rseq *rseq)
{
	int ok;

	asm volatile(".pushsection __rseq_cs, \"aw\"\n"
		     ".balign 32\n"
		     "3:	.long 0, 0\n"
		     "	.quad 1f, 2f - 1f, 4f\n"
		     ".popsection\n"
		     "	lea 3b(%%rip), %%rax\n"
		     "	mov %%rax, %c2(%1)\n"
		     "1:	mov $20, %%ecx\n"
		     "5:	dec %%ecx\n"
		     "	jnz 5b\n"
		     "	mov $1, %0\n"
		     "2:	jmp 6f\n"
		     "	.byte 0x0f, 0xb9, 0x3d\n"
		     "	.long %c3\n"
		     "4:	mov $0, %0\n"
		     "6:" : "=&r"(ok) : "r"(rseq), "i"(offsetof(struct rseq, rseq_cs)),
		     "i"(RSEQ_SIG) : "rax", "rcx", "cc", "memory");
	return ok;
}

static void handler(int sig)
{
	mark_handler();
}

static void *thread(void *arg)
{
	struct rseq *rseq = (void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int i = 0;

	while (i < times) {
		if (section(rseq)) {
			mark_committed();
			i++;
		} else {
			mark_aborted();
		}
		if (i % 16 == 0) {
			cpu_set_t set;

			CPU_ZERO(&set);
			CPU_SET(i / 16 % cpus, &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
	}
	__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static int membarrier(int cmd)
{
	return syscall(SYS_membarrier, cmd, 0, 0);
}

int main(int argc, char **argv)
{
	struct itimerval every = { { 0, 5000 }, { 0, 5000 } }, never = { };
	pthread_t ids[THREADS];
	sigset_t set;

	CHECK(__rseq_size);
	CHECK(!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ));
	times = argc > 1 ? atoi(argv[1]) : 500;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&ids[i], NULL, thread, NULL);
	/* If steps are slow, each section is disturbed before its end. */
	while (__atomic_load_n(&running, __ATOMIC_SEQ_CST) &&
	       __atomic_load_n(&marks[1].n, __ATOMIC_SEQ_CST) < 10UL * times)
		CHECK(!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ));
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	marks_print();
	return 0;
}
