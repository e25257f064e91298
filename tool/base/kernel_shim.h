/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replacements in user space for the kernel headers that module/ids/elf_id.c and
 * module/event/aux_pmus.c use.
 */
#ifndef KERNEL_SHIM_H
#define KERNEL_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(x)			(sizeof(x) / sizeof((x)[0]))
#endif

#define noinline			__attribute__((noinline))
#define sizeof_field(type, field)	sizeof(((type *)0)->field)

#define min_t(type, a, b) ({			\
	type min_a = (a);			\
	type min_b = (b);			\
						\
	min_a < min_b ? min_a : min_b;		\
})

#define ALIGN(x, a) ({				\
	__typeof__(x) align_mask = (a) - 1;	\
						\
	((x) + align_mask) & ~align_mask;	\
})

#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)

#endif /* KERNEL_SHIM_H */
