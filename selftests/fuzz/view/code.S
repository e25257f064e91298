/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program whose traces fuzz_view decodes. The script "seeds" knows its addresses.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:					/* 0x400200 */
	call	one
1:	jne	_start
	call	*%rax
	jmp	1b
	.size	_start, . - _start

	.org	0x20
	.type	one, @function
one:					/* 0x400220 */
	jne	two
	ret
	.size	one, . - one

	.org	0x30
	.type	two, @function
two:					/* 0x400230 */
	syscall
	jne	one
	jmp	*%rdx
	.size	two, . - two

	.org	0x40
	.type	forever, @function
forever:				/* 0x400240 */
	jmp	forever
	iretq
	.size	forever, . - forever

	.org	0x50
	.type	recurse, @function
recurse:				/* 0x400250 */
	call	recurse
	ret
	.size	recurse, . - recurse
