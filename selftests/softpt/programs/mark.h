/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Places in a program that count, in one instruction, how often they are passed.
 * This is the first instruction of mark_NAME(). A decoder must find it as often as
 * the program counted, whatever happened to the program.
 *
 * MARK(NUMBER, NAME) defines mark_NAME(). After marks_share() the program shares
 * the counts with its children, so that the counts outlive the children.
 */
#ifndef MARK_H
#define MARK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct mark {
	const char *name;
	unsigned long n;
};

/* The marks have a page of their own. */
struct mark marks[256] __attribute__((used, aligned(4096)));

/* The program has an instruction mark_NAME of its own, and counts it. */
#define MARKED(number, name_)						\
	void mark_##name_(void);					\
	static void __attribute__((constructor)) named_##name_(void)	\
	{								\
		marks[number].name = #name_;				\
	}

#define MARK(number, name_)						\
	void mark_##name_(void);					\
	asm(".pushsection .text\n"					\
	    ".globl mark_" #name_ "\n"					\
	    ".type mark_" #name_ ", @function\n"			\
	    "mark_" #name_ ":\n\t"					\
	    "lock incq marks + 16 * " #number " + 8(%rip)\n\t"		\
	    "ret\n"							\
	    ".size mark_" #name_ ", . - mark_" #name_ "\n"		\
	    ".popsection");						\
	MARKED(number, name_)

static inline void marks_share(void)
{
	void *page = mmap(NULL, sizeof(marks), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		abort();
	memcpy(page, marks, sizeof(marks));
	if (mremap(page, sizeof(marks), sizeof(marks),
		   MREMAP_MAYMOVE | MREMAP_FIXED, marks) == MAP_FAILED)
		abort();
}

static inline void marks_print(void)
{
	for (int i = 0; i < 256; i++)
		if (marks[i].name)
			printf("mark_%s %lu\n", marks[i].name, marks[i].n);
	fflush(stdout);
}

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: not %s\n", __FILE__, __LINE__, #cond); \
		exit(1);						\
	}								\
} while (0)

#endif /* MARK_H */
