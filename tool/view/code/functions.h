/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of one object, by address.
 */
#ifndef VIEW_FUNCTIONS_H
#define VIEW_FUNCTIONS_H

#include <libelf.h>
#include <linux/types.h>
#include <stddef.h>

struct object;
struct function;

/* A symbol of a function. Symbols can overlap; functions_divide() sorts that out. */
struct function_symbol {
	__u64	start;
	__u64	end;		/* start: not known */
	const char *name;
	__u8	rank;		/* the highest one at an address gives its name */
};

/* From @start to the next part's @start, the code is that of @function. */
struct function_part {
	__u64	start;
	__u32	function;	/* index */
};

struct functions {
	struct object *object;
	Elf	*elf;		/* names are in here, or NULL */
	Elf	*debug;		/* the file with debug symbols, or NULL */
	char	*text;		/* of kallsyms */
	struct function_symbol *symbols;	/* while they are read */
	size_t	nr_symbols;
	struct function *list;
	size_t	nr;
	struct function_part *parts;	/* sorted; the first one starts at 0 */
	size_t	nr_parts;
	struct functions_segment {
		__u64 offset, size, address;
	} *segments;		/* of the file, from the program headers */
	size_t	nr_segments;
	char	**made;		/* names that functions_keep() has kept */
	size_t	nr_made;
};

/* Read the functions of an object. Return NULL if there is no memory. */
struct functions *functions_read(struct object *o);

/* function_table.c: all of these but functions_find() allow NULL. */
void functions_free(struct functions *f);

__u64 functions_address(const struct functions *f, __u64 offset);
struct function *functions_find(const struct functions *f, __u64 address);

/* Add a symbol. Return 0 or -ENOMEM. */
int functions_add(struct functions *f, const struct function_symbol *symbol);

/* Add a name that functions_free() frees. Return it, or NULL if there is no memory. */
const char *functions_keep(struct functions *f, char *name);

/* plt.c: name the entries of procedure linkage tables after the functions that they call. */
int functions_add_plt(struct functions *f);

/* parts.c: make functions and parts of the symbols. Return 0 or -ENOMEM. */
int functions_divide(struct functions *f);

#endif /* VIEW_FUNCTIONS_H */
