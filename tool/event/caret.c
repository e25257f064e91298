// SPDX-License-Identifier: GPL-2.0-only
/*
 * Showing where an event is wrong: the event as it was typed, and a mark under the place that the
 * message is about.
 */
#include <stdio.h>
#include <string.h>

#include "event/parse.h"

/* If an event is long, only this many of its characters are shown. */
#define WIDTH	72
/* At most this many characters before the place of the error are shown. */
#define BEFORE	48

/* @text can contain any bytes. Replace the ones that a terminal would interpret. */
static void append_shown(struct ev_buf *buf, const char *text, size_t from, size_t len)
{
	size_t i;

	for (i = from; i < from + len; i++) {
		const unsigned char c = text[i];

		ev_printf(buf, "%c", c >= ' ' && c < 0x7f ? c : '?');
	}
}

/* @at: offset in @spec, up to its length */
static void append_mark(struct ev_buf *buf, const char *spec, size_t at)
{
	const size_t len = strlen(spec);
	const size_t from = len > WIDTH && at > BEFORE ? at - BEFORE : 0;
	const size_t n = len - from > WIDTH ? WIDTH : len - from;
	const char *dots = from ? "..." : "";

	ev_printf(buf, "\n  %s", dots);
	append_shown(buf, spec, from, n);
	ev_printf(buf, "%s\n  %*s^", from + n < len ? "..." : "", (int)(at - from + strlen(dots)),
		  "");
}

void auxrec_event_caret(const char *spec, char *msg, size_t size)
{
	struct ev_buf mark = { 0 };
	size_t column, len;
	int used = 0;

	if (sscanf(msg, "column %zu: %n", &column, &used) != 1 || !used || !column ||
	    column > strlen(spec) + 1)
		return;
	append_mark(&mark, spec, column - 1);
	if (mark.len + 1 > size)
		return;
	len = strlen(msg + used);
	if (len > size - 1 - mark.len)
		len = size - 1 - mark.len;
	memmove(msg, msg + used, len);
	memcpy(msg + len, mark.s, mark.len + 1);
}
