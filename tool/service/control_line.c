// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make and parse the lines of the control protocol, for both of its sides.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "service/control_line.h"

static const char * const verbs[] = {
	[CONTROL_SNAPSHOT]	= "snapshot",
	[CONTROL_STATUS]	= "status",
	[CONTROL_METRICS]	= "metrics",
	[CONTROL_STOP]		= "stop",
};

/* isgraph() depends on the locale, but the rules for names must not. */
static bool is_graph(char c)
{
	return c > ' ' && c <= '~';
}

/* Set @pos to the next word of @line, and return the word's length. */
static size_t next_word(const char *line, size_t len, size_t *pos)
{
	size_t end;

	while (*pos < len && line[*pos] == ' ')
		(*pos)++;
	for (end = *pos; end < len && line[end] != ' '; end++)
		;
	return end - *pos;
}

/* The name becomes part of a file's name. It must not leave the directory or hide the file. */
static int check_name(const char *name, size_t len, struct diag *d)
{
	size_t i;

	if (len >= CONTROL_NAME_MAX)
		return diag(d, -EINVAL, "the name has %zu bytes, at most %d are possible", len,
			    CONTROL_NAME_MAX - 1);
	for (i = 0; i < len; i++) {
		if (!is_graph(name[i]) || name[i] == '/')
			return diag(d, -EINVAL,
				    "byte %zu of the name is 0x%02x: give printable ASCII without blanks and '/'",
				    i + 1, (unsigned char)name[i]);
	}
	if (name[0] == '.')
		return diag(d, -EINVAL, "the name begins with '.': give one that does not");
	return 0;
}

/* Tell in a message what can follow a verb. */
static const char *argument(enum control_verb verb)
{
	switch (verb) {
	case CONTROL_SNAPSHOT:
		return "give one name, without blanks";
	case CONTROL_STATUS:
		return "give it alone, or with --json";
	default:
		return "give it alone";
	}
}

/* Take the word after the verb if the verb can have one. Return 0, or -errno with a message. */
static int take_argument(const char *word, size_t len, struct control_request *rq, bool *taken,
			 struct diag *d)
{
	static const char json[] = "--json";
	int err;

	if (rq->verb == CONTROL_SNAPSHOT) {
		err = check_name(word, len, d);
		if (err)
			return err;
		memcpy(rq->name, word, len);
		*taken = true;
	}
	if (rq->verb == CONTROL_STATUS && len == sizeof(json) - 1 && !memcmp(word, json, len)) {
		rq->json = true;
		*taken = true;
	}
	return 0;
}

int control_parse(const char *line, size_t len, struct control_request *rq, struct diag *d)
{
	size_t pos = 0, word, i;
	bool taken = false;
	int err;

	memset(rq, 0, sizeof(*rq));
	word = next_word(line, len, &pos);
	for (i = 0; i < ARRAY_LEN(verbs); i++) {
		if (word == strlen(verbs[i]) && !memcmp(line + pos, verbs[i], word))
			break;
	}
	if (i == ARRAY_LEN(verbs))
		return diag(d, -EINVAL,
			    "unknown command: there are 'snapshot [NAME]', 'status [--json]', 'metrics' and 'stop'");
	rq->verb = i;

	pos += word;
	word = next_word(line, len, &pos);
	err = word ? take_argument(line + pos, word, rq, &taken, d) : 0;
	if (err)
		return err;
	if (taken) {
		pos += word;
		word = next_word(line, len, &pos);
	}
	if (word)
		return diag(d, -EINVAL, "'%s' is followed by too much: %s", verbs[i],
			    argument(rq->verb));
	return 0;
}

size_t control_format(const struct control_request *rq, char line[CONTROL_LINE_MAX + 1])
{
	return snprintf(line, CONTROL_LINE_MAX + 1, "%s%s%s%s\n", verbs[rq->verb],
			rq->json ? " --json" : "", rq->name[0] ? " " : "", rq->name);
}

/* If @line begins with @word and then ends or has a blank, return what follows. */
static const char *after(const char *line, const char *word)
{
	const size_t len = strlen(word);

	if (strncmp(line, word, len) || (line[len] && line[len] != ' '))
		return NULL;
	return line + len + (line[len] == ' ');
}

enum control_reply control_reply(const char *line, const char **text)
{
	*text = after(line, "ok");
	if (*text)
		return CONTROL_OK;
	*text = after(line, "error");
	if (*text)
		return CONTROL_ERROR;
	*text = line;
	return CONTROL_MORE;
}
