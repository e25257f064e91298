// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose code pages are taken away while it executes them:
 *
 *	away loop N		another process takes them (evict.c)
 *	away protect N		a thread makes them inaccessible for a moment
 *	away unmap N		a thread unmaps them for a moment
 *
 * The code has two pages, and one instruction crosses the border between them. In each
 * pass each marked instruction is executed once. The program also prints the number of
 * page faults.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "mark.h"

#define PAGE	4096
#define SIZE	(2 * PAGE)

MARKED(0, first)
MARKED(1, split)
MARKED(2, call)
MARKED(3, syscall)
MARKED(4, count)
MARKED(5, loop)

void away(unsigned long n);

asm(".pushsection .text.away, \"ax\", @progbits\n"
	".balign 4096\n"
	".globl away\n"
	".type away, @function\n"
	"away:\n"
	"mark_call:\n\t"
	"call mark_first\n\t"
	"call mark_split\n\t"
	"mov $39, %eax\n"		/* getpid */
	"mark_syscall:\n\t"
	"syscall\n"
	"mark_count:\n\t"
	"dec %rdi\n"
	"mark_loop:\n\t"
	"jnz away\n\t"
	"ret\n"
	"mark_first:\n\t"
	"lock incq marks + 8(%rip)\n\t"
	"ret\n\t"
	".org away + 4096 - 5\n"
	"mark_split:\n\t"
	"lock incq marks + 16 + 8(%rip)\n\t"
	"ret\n\t"
	".balign 4096\n"
	".popsection");

static volatile int done;
static int self;
static off_t offset;

static void map(void)
{
	if (mmap((void *)away, SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, self,
		 offset) == MAP_FAILED)
		abort();
}

/* Bring the pages back, before the thread does. */
static void on_fault(int sig)
{
	if (self)
		map();
	else
		mprotect((void *)away, SIZE, PROT_READ | PROT_EXEC);
}

static void *protect(void *arg)
{
	while (!done) {
		mprotect((void *)away, SIZE, PROT_NONE);
		mprotect((void *)away, SIZE, PROT_READ | PROT_EXEC);
	}
	return arg;
}

static void *unmap(void *arg)
{
	while (!done) {
		munmap((void *)away, SIZE);
		map();
	}
	return arg;
}

/* Find the offset of the code in the file. */
static void find_file(void)
{
	const Elf64_Phdr *p = (const void *)getauxval(AT_PHDR);
	uintptr_t at = (uintptr_t)away;

	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (p[i].p_type == PT_LOAD && at - p[i].p_vaddr < p[i].p_filesz)
			offset = p[i].p_offset + (at - p[i].p_vaddr);
	self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CHECK(self > 0 && offset);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_fault };
	void *(*way)(void *) = NULL;
	unsigned long n, passes;
	struct rusage usage;
	pthread_t thread;

	CHECK(argc == 3);
	n = strtoul(argv[2], NULL, 10);
	passes = n;
	if (!strcmp(argv[1], "unmap")) {
		find_file();
		way = unmap;
	} else if (!strcmp(argv[1], "protect")) {
		way = protect;
	}
	sigaction(SIGSEGV, &sa, NULL);
	if (way)
		CHECK(!pthread_create(&thread, NULL, way, NULL));
	away(passes);
	done = 1;
	if (way)
		CHECK(!pthread_join(thread, NULL));
	for (int i = 2; i <= 5; i++)
		marks[i].n = n;
	getrusage(RUSAGE_SELF, &usage);
	printf("faults %ld\n", usage.ru_minflt + usage.ru_majflt);
	marks_print();
	return 0;
}
