/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hash of bytes, for keys that are longer than a number.
 */
#ifndef AUXREC_HASH_H
#define AUXREC_HASH_H

#include <linux/types.h>
#include <stddef.h>
#include <string.h>

/*
 * FNV-1a of 64 bits. With another @seed, the same bytes have another hash. To hash data in pieces,
 * pass the hash of each piece as the seed of the next one.
 */
static inline __u64 hash_bytes(__u64 seed, const void *data, size_t len)
{
	__u64 hash = seed ^ 0xcbf29ce484222325ULL;
	const __u8 *p = data;

	while (len--)
		hash = (hash ^ *p++) * 0x100000001b3ULL;
	return hash;
}

static inline __u64 hash_string(const char *s)
{
	return hash_bytes(0, s, strlen(s));
}

#endif /* AUXREC_HASH_H */
