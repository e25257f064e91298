// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event parser's scanner: where an event begins and ends, and its parts.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"
#include "event/probe.h"

const char *ev_skip_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

struct ev_text ev_trim(struct ev_text text)
{
	while (text.len && isspace((unsigned char)text.p[0])) {
		text.p++;
		text.len--;
	}
	while (text.len && isspace((unsigned char)text.p[text.len - 1]))
		text.len--;
	return text;
}

bool ev_equal(struct ev_text text, const char *string)
{
	return strlen(string) == text.len &&
	       !memcmp(text.p, string, text.len);
}

char *ev_strdup(struct ev_text text)
{
	return strndup(text.p, text.len);
}

bool ev_split(struct ev_text *rest, char sep, struct ev_text *part)
{
	bool quoted = false;
	size_t i;

	if (!rest->p)
		return false;
	for (i = 0; i < rest->len; i++) {
		if (rest->p[i] == '\'')
			quoted = !quoted;
		else if (rest->p[i] == sep && !quoted)
			break;
	}
	part->p = rest->p;
	part->len = i;
	if (i == rest->len) {
		rest->p = NULL;
		rest->len = 0;
	} else {
		rest->p += i + 1;
		rest->len -= i + 1;
	}
	return true;
}

static int digits(struct ev_text text, unsigned int base, __u64 *value)
{
	__u64 sum = 0;

	if (!text.len)
		return -EINVAL;
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.p[i];

		if (!(base == 16 ? isxdigit(c) : isdigit(c)))
			return -EINVAL;
	}
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = text.p[i];
		unsigned int digit = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;

		if (__builtin_mul_overflow(sum, base, &sum) ||
		    __builtin_add_overflow(sum, digit, &sum))
			return -ERANGE;
	}
	*value = sum;
	return 0;
}

int ev_hex(struct ev_text text, __u64 *value)
{
	if (text.len > 2 && text.p[0] == '0' && (text.p[1] | 32) == 'x') {
		text.p += 2;
		text.len -= 2;
	}
	return digits(text, 16, value);
}

/* As in perf, a leading 0 does not mean octal. */
int ev_number(struct ev_text text, __u64 *value)
{
	if (text.len > 2 && text.p[0] == '0' && (text.p[1] | 32) == 'x')
		return ev_hex(text, value);
	return digits(text, 10, value);
}

/* Return the character after the slash that ends the terms, or NULL. */
static const char *end_of_terms(struct ev_ctx *ctx, const char *open)
{
	const char *quote = NULL;
	const char *p;

	for (p = open + 1; *p; p++) {
		if (*p == '\'')
			quote = quote ? NULL : p;
		else if (*p == '/' && !quote)
			return p + 1;
	}
	if (quote)
		ev_fail(ctx, quote, -EINVAL, "this ' has no closing '");
	else
		ev_fail(ctx, open, -EINVAL,
			"this / has no closing /; write PMU/TERM,TERM.../");
	return NULL;
}

/* In mem:ADDR/LEN, terms do not begin at the slash. */
static bool opens_terms(const char *begin, const char *p)
{
	return *p == '/' &&
	       !(!strncmp(begin, "mem:", 4) && isdigit((unsigned char)p[1]));
}

/* The path of a probe's file can have slashes and, between single quotes, anything else. */
static int scan_probe(struct ev_ctx *ctx, const char *begin, struct ev_item *item,
		      const char **end)
{
	const char *quote = NULL;
	const char *p;

	for (p = begin; *p && (quote || !strchr(",{}", *p)); p++)
		if (*p == '\'')
			quote = quote ? NULL : p;
	if (quote)
		return ev_fail(ctx, quote, -EINVAL, "this ' has no closing '");
	item->text = ev_trim((struct ev_text){ begin, p - begin });
	item->head = item->text;
	*end = p;
	return 0;
}

int ev_item_scan(struct ev_ctx *ctx, const char *p, struct ev_item *item,
		 const char **end)
{
	const char *begin = ev_skip_blanks(p);
	const char *close;

	memset(item, 0, sizeof(*item));
	if (probe_text(begin))
		return scan_probe(ctx, begin, item, end);
	item->head.p = begin;
	for (p = begin; *p && !strchr(",{}", *p) && !opens_terms(begin, p); p++)
		;
	item->head.len = p - begin;
	if (*p == '/') {
		close = end_of_terms(ctx, p);
		if (!close)
			return -EINVAL;
		item->has_terms = true;
		item->terms.p = p + 1;
		item->terms.len = close - 1 - item->terms.p;
		item->tail.p = close;
		for (p = close; *p && !strchr(",{}/", *p); p++)
			;
		if (*p == '/')
			return ev_fail(ctx, p, -EINVAL,
				       "there are already terms between slashes");
		item->tail.len = p - close;
	}
	item->text.p = begin;
	item->text.len = p - begin;
	item->text = ev_trim(item->text);
	item->head = ev_trim(item->head);
	item->tail = ev_trim(item->tail);
	*end = p;
	if (!item->head.len)
		return ev_fail(ctx, begin, -EINVAL, item->has_terms ?
			       "the name of a PMU is missing before /" :
			       "an event is missing here");
	return 0;
}
