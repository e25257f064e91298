/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Find the file that has the code of an object, or its symbols.
 */
#ifndef VIEW_FIND_H
#define VIEW_FIND_H

#include <libelf.h>
#include <linux/types.h>
#include <stdbool.h>

struct object;

/* Set @o->file, or @o->why. */
void find_file(struct object *o);

/*
 * Return the path of the file with the debug symbols of an object, or NULL. @link is the name in
 * its .gnu_debuglink, or NULL. The caller must free the path.
 */
char *find_debug_file(const struct object *o, const __u8 *id, size_t id_size, const char *link);

/* Open an ELF file, which is in memory until elf_end(). Return NULL if it cannot be read. */
Elf *find_open(const char *path);

/* Return the size of the build-id of an ELF file and store its first bytes, or return 0. */
size_t find_id(Elf *elf, __u8 *id);

#endif /* VIEW_FIND_H */
