/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A 32-bit program with INT 0x80, calls, loops, POP SS, and far returns, also to
 * 64-bit code and back. 0x33 is Linux' 64-bit code segment, and 0x23 the 32-bit
 * one.
 */
	.globl _start
	.code32
_start:
	mov $70, %ecx
	call deep
	mov $5, %ecx
1:	dec %eax			/* REX prefix in 64-bit code */
	loop 1b
	jecxz 2f
	ud2
2:	push %ss
	pop %ss
	nop
	pushfw
	popfw
	push %cs
	push $3f
	lret
3:	mov $20, %eax			/* getpid */
	int $0x80
	mov $4, %esi
again:	ljmp $0x33, $long_mode
back:	dec %esi
	jnz again
	lcall *far_pointer
	mov $1, %eax			/* exit */
	xor %ebx, %ebx
	int $0x80

deep:	jecxz 4f
	dec %ecx
	call deep
4:	ret

far_code:
	inc %eax
	lret

	.code64
long_mode:
	mov $0x123456789abc, %rax
	call 5f
	pushq $0x23
	mov $back, %edx
	push %rdx
	rex.W lret
5:	ret

	.data
far_pointer:
	.long far_code
	.word 0x23
	.section .note.GNU-stack, "", @progbits
