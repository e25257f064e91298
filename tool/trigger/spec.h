/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the value of a --trigger ends and its options begin. Nothing but text.
 */
#ifndef AUXREC_TRIGGER_SPEC_H
#define AUXREC_TRIGGER_SPEC_H

#include <stdbool.h>
#include <stddef.h>

/* In this order in messages */
enum trigger_option {
	OPTION_COUNT,
	OPTION_RATE,
	OPTION_PRE,
	OPTION_POST,
	OPTION_NAME,
	NR_TRIGGER_OPTIONS,
	OPTION_UNKNOWN,
	OPTION_NONE,		/* it is part of the value */
};

/*
 * The last option in @text is cut off: *@option points to it, at its key; or,
 * OPTION_NONE, there is none. @event: text is an event, which has commas, slashes
 * and terms of its own.
 */
enum trigger_option trigger_cut_option(char *text, bool event, char **option);

/* Key and '=', by number of the option */
const char *trigger_option_key(enum trigger_option option);

/* @s begins with a tracepoint's name and a slash: behind that is its filter. */
bool trigger_has_filter(const char *s);

/* The filter ends where @s ends, at @len: with a slash that is not in a string. */
bool trigger_filter_ends(const char *s, size_t len);

#endif /* AUXREC_TRIGGER_SPEC_H */
