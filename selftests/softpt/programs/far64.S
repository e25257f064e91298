/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 64-bit program with far jumps, calls and returns, and IRET, to 32-bit code
 * (segment 0x23) and back (0x33), loads of SS, and INT 0x80. Its stack is at an
 * address that 32-bit code can reach, and also QEMU, which uses only 32 bits of RSP
 * in far calls.
 */
	.globl _start
	.code64
_start:
	lea stack_end(%rip), %rsp
	mov $4, %r12d
again:	mov $20, %eax			/* getpid */
	int $0x80
	mov $39, %eax			/* getpid */
	syscall
	mov %ss, %ebx

	mov %rsp, %rcx			/* IRET to 64-bit code */
	push %rbx
	push %rcx
	pushfq
	push $0x33
	lea 1f(%rip), %rax
	push %rax
	iretq
	ud2
1:	mov %ebx, %ss
	jmp 2f
	ud2
2:	mov %ebx, %ss
	call both
	call leaf
	mov %ebx, %ss
	mov $39, %eax
	mov %ebx, %ss
	syscall

	push $0x33			/* far return to 64-bit code */
	lea 3f(%rip), %rax
	push %rax
	lretq
	ud2
3:	rex.W ljmp *far_on(%rip)
	ud2
on:	rex.W lcall *far_call(%rip)
	nop
	ljmp *far32(%rip)
	ud2
back:	mov %rsp, %rcx			/* IRET to 32-bit code */
	push %rbx
	push %rcx
	pushfq
	push $0x23
	lea by_iret(%rip), %rax
	push %rax
	iretq
	ud2
home:	dec %r12d
	jnz again
	mov $60, %eax			/* exit */
	xor %edi, %edi
	syscall
	ud2

leaf:	ret

/*
 * One jump with a prefix in 64-bit code. In 32-bit code it is an INC and a jump, so what
 * was decoded in one mode is wrong in the other.
 */
both:	.byte 0x40, 0xeb, 0x00
	ret

far_leaf:
	lretq

	.code32
in32:	mov $20, %eax
	int $0x80
	push %ss
	pop %ss
	jmp 4f
	ud2
4:	ljmp $0x33, $back
	ud2
by_iret:
	pushf
	popf
	push %ss
	pop %ss
	call both
	call leaf32
	pushf				/* IRET within 32-bit code, then back */
	push %cs
	push $5f
	iret
	ud2
5:	ljmp $0x33, $home
	ud2
leaf32:	ret

	.data
far_on:	.quad on
	.word 0x33
far_call:
	.quad far_leaf
	.word 0x33
far32:	.long in32
	.word 0x23
	.bss
	.balign 16
	.space 4096
stack_end:
	.section .note.GNU-stack, "", @progbits
