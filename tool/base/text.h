/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Printing strings, sizes and times of a stream as text. A stream can
 * hold any bytes, also sequences that reprogram a terminal.
 */
#ifndef AUXREC_READ_PRINT_H
#define AUXREC_READ_PRINT_H

#include <linux/types.h>
#include <stdio.h>

/* Print at most @max bytes of @s. Bytes that are not printable become \xNN. */
void read_print_text(FILE *f, const char *s, size_t max);

/* Print "12.3 MiB" into @buf and return @buf. */
const char *read_print_size(char *buf, size_t len, double bytes);

/* Print seconds, "1818.899897123", into @buf and return @buf. */
const char *read_print_time(char *buf, size_t len, __u64 ns);

/* Print "1.5 ms" into @buf and return @buf. */
const char *read_print_duration(char *buf, size_t len, __u64 ns);

#endif /* AUXREC_READ_PRINT_H */
