/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SELFTESTS_WORDS_H
#define SELFTESTS_WORDS_H

#include <string.h>

/*
 * Return the next word of the command line *@line, or NULL if there is none. A blank ends a
 * word; a word that begins with a quote ends at the next quote. *@len is the length of the
 * word, without quotes. *@line moves behind the word and the character that ends it.
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
