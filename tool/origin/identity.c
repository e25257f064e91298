// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the identity of a recording.
 */
#include <string.h>

#include "origin/identity.h"
#include "stream/records.h"

#define MAGIC_LEN	(sizeof(AUXREC_IDENTITY_MAGIC) - 1)

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool label_key_is_valid(const char *key, size_t len)
{
	size_t i;

	if (!len || len > AUXREC_LABEL_KEY_MAX || !is_letter(key[0]))
		return false;
	for (i = 0; i < len; i++)
		if (!is_letter(key[i]) && !(key[i] >= '0' && key[i] <= '9') &&
		    (!key[i] || !strchr("_.-", key[i])))
			return false;
	return true;
}

bool read_identity(const struct read_record *rec, struct read_bytes *b)
{
	const void *magic;

	*b = read_bytes_init(read_body(rec), read_body_size(rec));
	if (rec->type != REC_EVENT_TYPE)
		return false;
	magic = read_take(b, MAGIC_LEN);
	return magic && !memcmp(magic, AUXREC_IDENTITY_MAGIC, MAGIC_LEN);
}

bool read_identity_next(struct read_bytes *b, const char **key, size_t *key_len,
			const char **value)
{
	const char *text = (const char *)b->p;
	size_t label = sizeof(AUXREC_IDENTITY_LABEL) - 1;
	const char *end, *equals;

	/* The alignment's zeros follow the last string. */
	if (!b->left || !*text)
		return false;
	end = memchr(text, '\0', b->left);
	equals = end ? memchr(text, '=', end - text) : NULL;
	if (!equals) {
		b->failed = true;
		return false;
	}
	*key = text;
	*key_len = equals - text;
	*value = equals + 1;
	if (*key_len >= label && !memcmp(text, AUXREC_IDENTITY_LABEL, label) &&
	    !label_key_is_valid(text + label, *key_len - label)) {
		b->failed = true;
		return false;
	}
	read_take(b, end + 1 - text);
	return true;
}
