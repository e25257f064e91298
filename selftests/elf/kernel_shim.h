/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What module/elf_id.c takes from the kernel's headers, for a program.
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

#define noinline			__attribute__((noinline))
#define sizeof_field(type, field)	sizeof(((type *)0)->field)
#define min_t(type, a, b) \
	({ type _a = (a); type _b = (b); _a < _b ? _a : _b; })
#define ALIGN(x, a) \
	({ typeof(x) _mask = (typeof(x))(a) - 1; ((x) + _mask) & ~_mask; })
#define check_add_overflow(a, b, sum)	__builtin_add_overflow(a, b, sum)

#endif /* KERNEL_SHIM_H */
