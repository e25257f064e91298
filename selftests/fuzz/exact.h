/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions of the linker's option --wrap, see exact.c.
 */
#ifndef SELFTESTS_FUZZ_EXACT_H
#define SELFTESTS_FUZZ_EXACT_H

#include "stream/read.h"

int __real_read_next(struct read_stream *s, struct read_record *rec);
int __wrap_read_next(struct read_stream *s, struct read_record *rec);
void __real_read_close(struct read_stream *s);
void __wrap_read_close(struct read_stream *s);

#endif /* SELFTESTS_FUZZ_EXACT_H */
