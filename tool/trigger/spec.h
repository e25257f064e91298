/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding where the value of a --trigger ends and its options begin, in its text.
 */
#ifndef AUXREC_TRIGGER_SPEC_H
#define AUXREC_TRIGGER_SPEC_H

#include <stdbool.h>
#include <stddef.h>

/* Messages list the options in this order. */
enum trigger_option {
	OPTION_COUNT,
	OPTION_RATE,
	OPTION_PRE,
	OPTION_POST,
	OPTION_NAME,
	NR_TRIGGER_OPTIONS,
	OPTION_UNKNOWN,
	OPTION_NONE,		/* the text is part of the value */
};

/*
 * Cut the last option off @text, and set *@option to the option's text, "KEY=VALUE". Return
 * OPTION_NONE if there is no option. @event: the value is an event, which has commas, slashes
 * and terms of its own.
 */
enum trigger_option trigger_cut_option(char *text, bool event, char **option);

/* Return the key of an option, with its '='. */
const char *trigger_option_key(enum trigger_option option);

/* Does @s begin with a tracepoint's name and a slash, after which its filter follows? */
bool trigger_has_filter(const char *s);

/* Does the filter end at @len, with a slash that is not in a string? */
bool trigger_filter_ends(const char *s, size_t len);

#endif /* AUXREC_TRIGGER_SPEC_H */
