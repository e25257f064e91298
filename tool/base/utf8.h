/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UTF-8 in strings that can contain any bytes.
 */
#ifndef AUXREC_UTF8_H
#define AUXREC_UTF8_H

/*
 * Return how many bytes the character at @s has, or 0 if there is no valid character. An
 * ASCII character has one, also the NUL at the end of a string.
 */
int utf8_length(const char *s);

/* U+FFFD, which stands for a byte that is no part of a character */
#define UTF8_REPLACEMENT	"\xef\xbf\xbd"

#endif /* AUXREC_UTF8_H */
