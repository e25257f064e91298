/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of the program code.S, and the functions that give them to auxview in place of files:
 * those of the linker's option --wrap.
 */
#ifndef SELFTESTS_FUZZ_CODE_H
#define SELFTESTS_FUZZ_CODE_H

#include "view/code/find.h"
#include "view/code/object.h"

extern const char code_begin[], code_end[];

void __wrap_find_file(struct object *o);
char *__wrap_find_debug_file(const struct object *o, const __u8 *id, size_t id_size,
			     const char *link);

#endif /* SELFTESTS_FUZZ_CODE_H */
