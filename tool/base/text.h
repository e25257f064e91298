/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strings of a stream on their way to a terminal or into JSON. A stream can
 * hold any bytes, also those that reprogram a terminal.
 */
#ifndef AUXREC_READ_PRINT_H
#define AUXREC_READ_PRINT_H

#include <linux/types.h>
#include <stdio.h>

/* Prints at most @max bytes of @s; what is not printable as \xNN. */
void read_print_text(FILE *f, const char *s, size_t max);

/*
 * Prints @s as a JSON string with its quotes. Bytes from 0x80 are passed as
 * they are if they are valid UTF-8, else replaced by U+FFFD.
 */
void read_print_json(FILE *f, const char *s);

/* "12.3 MiB" into @buf, which is returned. */
const char *read_print_size(char *buf, size_t len, double bytes);

/* "1818.899897123", seconds, into @buf, which is returned. */
const char *read_print_time(char *buf, size_t len, __u64 ns);

/* "1.5 ms" into @buf, which is returned. */
const char *read_print_duration(char *buf, size_t len, __u64 ns);

#endif /* AUXREC_READ_PRINT_H */
