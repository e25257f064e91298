/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SELFTESTS_WORDS_H
#define SELFTESTS_WORDS_H

#include <string.h>

/*
 * The next word of a command line, of *@len bytes, and *@line behind it and what ends it: a
 * blank, or a quote if it begins with one. NULL: no more.
 */
static inline const char *next_word(const char **line, size_t *len)
{
	const char *word = *line + strspn(*line, " "), *stop = " ";

	if (!*word)
		return NULL;
	if (*word == '\'') {
		stop = "'";
		word++;
	}
	*len = strcspn(word, stop);
	*line = word + *len + !!word[*len];
	return word;
}

#endif
