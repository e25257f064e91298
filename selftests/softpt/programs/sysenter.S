/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 32-bit program whose system calls go through __kernel_vsyscall() of the vdso
 * (SYSENTER, if the processor has it), and through INT 0x80. It writes the vdso to
 * stdout.
 */
#define AT_SYSINFO		32
#define AT_SYSINFO_EHDR		33

	.globl _start
	.code32
_start:
	mov (%esp), %eax		/* argc; then argv, environment, auxv */
	lea 8(%esp,%eax,4), %esi
1:	lodsl
	test %eax, %eax
	jnz 1b
2:	lodsl
	mov %eax, %edx
	lodsl
	cmp $AT_SYSINFO, %edx
	jne 3f
	mov %eax, vsyscall
3:	cmp $AT_SYSINFO_EHDR, %edx
	jne 4f
	mov %eax, vdso
4:	test %edx, %edx
	jnz 2b

	mov $5, %edi
5:	mov $20, %eax			/* getpid */
	call *vsyscall
	mov $20, %eax
	int $0x80
	dec %edi
	jnz 5b

	mov vdso, %esi
6:	mov $4, %eax			/* write, until all is written */
	mov $1, %ebx
	mov %esi, %ecx
	mov $4096, %edx
	call *vsyscall
	add $4096, %esi
	cmp $4096, %eax
	je 6b
	mov $1, %eax			/* exit */
	xor %ebx, %ebx
	call *vsyscall
	ud2

	.data
vsyscall:
	.long 0
vdso:
	.long 0
	.section .note.GNU-stack, "", @progbits
