/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding functions of ELF files by name, and listing their names. */
#ifndef AUXREC_SYMBOL_H
#define AUXREC_SYMBOL_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/names.h"

struct symbol {
	__u64 offset;		/* in the file */
	__u64 size;
	bool code;		/* in a segment that programs can execute */
	bool indirect;		/* IFUNC: the place is the function that chooses the real one */
};

/*
 * symbol_find() - find a function in an ELF file
 * @index: which of several functions of this name, in order of offsets, from 1;
 *	   0: there must be only one
 * @nr: set to the number of functions of this name
 *
 * Return: 0; -ESRCH: there is no function, there are several and @index is 0, or there are
 * fewer than @index; -ENOEXEC: the file is not an ELF file; -ENOMEM; or -errno of open().
 */
int symbol_find(const char *path, const char *name, unsigned int index,
		struct symbol *sym, unsigned int *nr);

/* Append the names of all functions of an ELF file. Return 0, or an error as symbol_find() does. */
int symbol_names(const char *path, struct names *names);

#endif /* AUXREC_SYMBOL_H */
