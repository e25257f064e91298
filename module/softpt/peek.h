/* SPDX-License-Identifier: GPL-2.0-only */
/* Read words of the program's memory in fewer instructions than copy_from_user_nofault(). */
#ifndef SOFTPT_PEEK_H
#define SOFTPT_PEEK_H

#include <linux/types.h>
#include <linux/uaccess.h>

/*
 * Read @n words of current's memory from @from on. Does not sleep: return false if
 * they are not in memory, or if current must not read them.
 */
static __always_inline bool spt_peek_words(u64 *words, const u64 __user *from, unsigned int n)
{
	unsigned int i;

	pagefault_disable();
	if (!user_access_begin(from, n * sizeof(*from)))
		goto out;
	for (i = 0; i < n; i++)
		unsafe_get_user(words[i], from + i, fault);
	user_access_end();
	pagefault_enable();
	return true;
fault:
	user_access_end();
out:
	pagefault_enable();
	return false;
}

#endif /* SOFTPT_PEEK_H */
