// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find where the value of a --trigger ends and its options begin.
 *
 * A value can contain commas, so options are searched from the end. The text after the
 * last comma is an option if it looks like one. If the value is an event, the comma must
 * also not be between the slashes of a PMU's terms or of a filter, because PMUs have
 * terms with the names of these options.
 */
#include <string.h>

#include "event/probe.h"
#include "trigger/spec.h"
#include "base/util.h"

static const char * const keys[NR_TRIGGER_OPTIONS] = {
	[OPTION_COUNT]	= "count=",
	[OPTION_RATE]	= "rate=",
	[OPTION_PRE]	= "pre=",
	[OPTION_POST]	= "post=",
	[OPTION_NAME]	= "name=",
};

const char *trigger_option_key(enum trigger_option option)
{
	return keys[option];
}

bool trigger_has_filter(const char *s)
{
	const size_t len = strcspn(s, "/");

	/* In mem:0x1000/4, the slash begins a length, and in probe:func=f@/bin/x, a path. */
	return s[len] && memchr(s, ':', len) && strncmp(s, "mem:", 4) && !probe_text(s);
}

bool trigger_filter_ends(const char *s, size_t len)
{
	const size_t first = strcspn(s, "/");
	char quote = '\0';
	size_t i;

	for (i = first + 1; i < len; i++) {
		if (quote ? s[i] == quote : s[i] == '"' || s[i] == '\'')
			quote = quote ? '\0' : s[i];
	}
	return !quote && len > first + 1 && s[len - 1] == '/';
}

/* Do the terms of pmu/terms/ end within @len? Slashes in strings do not count. */
static bool terms_end(const char *s, size_t len)
{
	bool inside = false, quoted = false;
	size_t i;

	for (i = 0; i < len; i++) {
		if (s[i] == '\'')
			quoted = !quoted;
		else if (s[i] == '/' && !quoted)
			inside = !inside;
	}
	return !inside;
}

static enum trigger_option which(const char *s);
static bool event_ends(const char *s, size_t len);

/* Does the text before @len end in an option, and can the event end before that option? */
static bool ends_before_options(const char *s, size_t len)
{
	while (len && s[len - 1] != ',')
		len--;
	return len && which(s + len) != OPTION_NONE && event_ends(s, len - 1);
}

/* Is the end of the text outside of single quotes? */
static bool quotes_end(const char *s, size_t len)
{
	bool quoted = false;
	size_t i;

	for (i = 0; i < len; i++)
		quoted ^= s[i] == '\'';
	return !quoted;
}

/* Can an event end at @len, or before options that end at @len? */
static bool event_ends(const char *s, size_t len)
{
	if (probe_text(s))
		return quotes_end(s, len);
	if (!strncmp(s, "mem:", 4))
		return true;
	if (trigger_has_filter(s) && strcspn(s, "/") < len)
		return trigger_filter_ends(s, len) || ends_before_options(s, len);
	return terms_end(s, len);
}

static enum trigger_option which(const char *s)
{
	const size_t word = strspn(s, "abcdefghijklmnopqrstuvwxyz");
	int i;

	for (i = 0; i < NR_TRIGGER_OPTIONS; i++) {
		const size_t len = strlen(keys[i]) - 1;

		/* A key without '=' is a mistake in an option, and not part of the value. */
		if (word == len && !memcmp(s, keys[i], len) &&
		    (s[len] == '=' || !s[len]))
			return i;
	}
	return word && s[word] == '=' ? OPTION_UNKNOWN : OPTION_NONE;
}

enum trigger_option trigger_cut_option(char *text, bool event, char **option)
{
	char *comma = strrchr(text, ',');
	enum trigger_option found;

	if (!comma)
		return OPTION_NONE;
	found = which(comma + 1);
	if (found == OPTION_NONE || (event && !event_ends(text, comma - text)))
		return OPTION_NONE;
	*comma = '\0';
	*option = comma + 1;
	return found;
}
