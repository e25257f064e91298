// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose code is replaced at its address: remapped N. In each pass it maps one
 * and then the other of two pages of its file at the same address, and calls the code
 * there. The instructions of the two pages have the same lengths but different packets. Some
 * differ from their first byte on, and one only in its last bytes, after prefixes.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "mark.h"

#define PAGE	4096

MARKED(0, first)
MARKED(1, second)

asm(".pushsection .text.remapped, \"ax\", @progbits\n\t"
	".balign 4096\n"
	".type mark_first, @function\n"
	"mark_first:\n\t"
	"lock incq (%rdi)\n\t"
	"xor %eax, %eax\n\t"
	"jz 1f\n"
	"1:\t.byte 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x74, 0\n\t"	/* jz */
	"ret\n\t"
	".size mark_first, . - mark_first\n\t"
	".balign 4096\n\t"
	".type mark_second, @function\n"
	"mark_second:\n\t"
	"lock incq (%rdi)\n\t"
	"xor %eax, %eax\n\t"
	"xchg %ax, %ax\n\t"
	".byte 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0xeb, 0\n\t"	/* jmp */
	"ret\n\t"
	".size mark_second, . - mark_second\n\t"
	".balign 4096\n\t"
	".popsection");

/* Return the offset of the code in the file. */
static off_t offset_in_file(void)
{
	const Elf64_Phdr *p = (const void *)getauxval(AT_PHDR);
	uintptr_t at = (uintptr_t)mark_first;

	for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
		if (p[i].p_type == PT_LOAD && at - p[i].p_vaddr < p[i].p_filesz)
			return p[i].p_offset + (at - p[i].p_vaddr);
	abort();
}

int main(int argc, char **argv)
{
	void (*called)(unsigned long *n) = (void *)mark_first;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	off_t offset = offset_in_file();
	unsigned long n, i;

	CHECK(argc == 2 && self >= 0);
	for (n = strtoul(argv[1], NULL, 10); n; n--) {
		for (i = 0; i < 2; i++) {
			CHECK(mmap((void *)called, PAGE, PROT_READ | PROT_EXEC,
				   MAP_PRIVATE | MAP_FIXED, self,
				   offset + i * PAGE) == (void *)called);
			called(&marks[i].n);
		}
	}
	marks_print();
	return 0;
}
