// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of an object's functions: add symbols, and find what is at an address.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/util.h"
#include "view/code/functions.h"
#include "view/code/object.h"

int functions_add(struct functions *f, const struct function_symbol *symbol)
{
	if (grow((void **)&f->symbols, f->nr_symbols, sizeof(*f->symbols)))
		return -ENOMEM;
	f->symbols[f->nr_symbols++] = *symbol;
	return 0;
}

const char *functions_keep(struct functions *f, char *name)
{
	if (!name || grow((void **)&f->made, f->nr_made, sizeof(*f->made))) {
		free(name);
		return NULL;
	}
	f->made[f->nr_made++] = name;
	return name;
}

void functions_free(struct functions *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->nr_made; i++)
		free(f->made[i]);
	free(f->made);
	free(f->symbols);
	free(f->list);
	free(f->parts);
	free(f->segments);
	free(f->text);
	if (f->elf)
		elf_end(f->elf);
	if (f->debug)
		elf_end(f->debug);
	free(f);
}

__u64 functions_address(const struct functions *f, __u64 offset)
{
	size_t i;

	for (i = 0; f && i < f->nr_segments; i++)
		if (offset - f->segments[i].offset < f->segments[i].size)
			return offset - f->segments[i].offset + f->segments[i].address;
	return offset;
}

struct function *functions_find(const struct functions *f, __u64 address)
{
	size_t low = 0, high = f->nr_parts, mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (f->parts[mid].start <= address)
			low = mid;
		else
			high = mid;
	}
	return &f->list[f->parts[low].function];
}
