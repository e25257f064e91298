/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_SYMBOL_H
#define AUXREC_SYMBOL_H

#include <linux/types.h>

struct symbol {
	__u64 offset;		/* in the file */
	__u64 size;
};

/*
 * symbol_find() - where a function is in an ELF file
 * @index: which of several, by address, from 1; 0: there should be one
 * @nr: how many places have that name
 *
 * Return: 0; -ESRCH: there is none, or several, or not so many; -ENOEXEC: not
 * an ELF file; -errno of open().
 */
int symbol_find(const char *path, const char *name, unsigned int index,
		struct symbol *sym, unsigned int *nr);

#endif /* AUXREC_SYMBOL_H */
