// SPDX-License-Identifier: GPL-2.0-only
/* The writer of JSON of base/json.h. */
#include <assert.h>
#include <math.h>

#include "base/json.h"
#include "base/utf8.h"

/*
 * Large outputs consist of short members. stdio's formats and locks would take most of the
 * time. No lock is needed, because only one thread writes to @f.
 */
static void put(FILE *f, const char *s)
{
	while (*s)
		putc_unlocked(*s++, f);
}

static void put_number(FILE *f, __u64 v)
{
	char digits[21], *p = digits + sizeof(digits) - 1;

	*p = '\0';
	do {
		*--p = '0' + v % 10;
		v /= 10;
	} while (v);
	put(f, p);
}

/* Begin a line, indented once for each level that has members on lines of their own. */
static void newline(const struct json *j)
{
	unsigned int i;

	putc_unlocked('\n', j->f);
	for (i = 0; i < j->depth; i++)
		if (j->level[i].lines)
			put(j->f, "  ");
}

static struct json_level *inner(struct json *j)
{
	return &j->level[j->depth - 1];
}

/* Begin a member: write the separator from the member before, and the new member's key. */
static void member(struct json *j, const char *key)
{
	struct json_level *l;

	if (!j->depth)
		return;
	l = inner(j);
	if (l->filled)
		putc_unlocked(',', j->f);
	if (l->layout >= JSON_LINES || j->on_new_line) {
		l->lines = true;
		newline(j);
	} else if (l->filled && l->layout == JSON_SPACED) {
		putc_unlocked(' ', j->f);
	}
	j->on_new_line = false;
	l->filled = true;
	if (key) {
		putc_unlocked('"', j->f);
		put(j->f, key);
		put(j->f, l->layout == JSON_TIGHT ? "\":" : "\": ");
	}
}

static void begin(struct json *j, const char *key, enum json_layout layout, char bracket)
{
	member(j, key);
	putc_unlocked(bracket, j->f);
	assert(j->depth < JSON_DEPTH);
	j->level[j->depth++] = (struct json_level){ .layout = layout };
}

static void end(struct json *j, char bracket)
{
	const struct json_level l = *inner(j);

	j->depth--;
	if (l.layout == JSON_BLOCK && l.filled)
		newline(j);
	putc_unlocked(bracket, j->f);
	if (!j->depth)
		putc_unlocked('\n', j->f);
}

void json_object(struct json *j, const char *key, enum json_layout layout)
{
	begin(j, key, layout, '{');
}

void json_end_object(struct json *j)
{
	end(j, '}');
}

void json_array(struct json *j, const char *key, enum json_layout layout)
{
	begin(j, key, layout, '[');
}

void json_end_array(struct json *j)
{
	end(j, ']');
}

static void quote(FILE *f, const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	putc_unlocked('"', f);
	while (*p) {
		int n;

		if (*p == '"' || *p == '\\') {
			fprintf(f, "\\%c", *p++);
		} else if (*p < ' ' || *p == 0x7f) {
			fprintf(f, "\\u%04x", *p++);
		} else if (*p < 0x80) {
			putc_unlocked(*p++, f);
		} else {
			n = utf8_length((const char *)p);
			if (n) {
				fwrite(p, 1, n, f);
				p += n;
			} else {
				put(f, "\\ufffd");
				p++;
			}
		}
	}
	putc_unlocked('"', f);
}

void json_string(struct json *j, const char *key, const char *s)
{
	member(j, key);
	if (s)
		quote(j->f, s);
	else
		put(j->f, "null");
}

void json_hex(struct json *j, const char *key, const void *bytes, size_t len)
{
	const __u8 *p = bytes;

	member(j, key);
	putc_unlocked('"', j->f);
	while (len--)
		fprintf(j->f, "%02x", *p++);
	putc_unlocked('"', j->f);
}

void json_u64(struct json *j, const char *key, __u64 v)
{
	member(j, key);
	put_number(j->f, v);
}

void json_s64(struct json *j, const char *key, __s64 v)
{
	member(j, key);
	if (v < 0)
		putc_unlocked('-', j->f);
	put_number(j->f, v < 0 ? -(__u64)v : (__u64)v);
}

/* JSON has no infinite numbers and no NaN. */
static bool put_unless_finite(FILE *f, double v)
{
	if (isfinite(v))
		return false;
	put(f, "null");
	return true;
}

void json_double(struct json *j, const char *key, double v)
{
	member(j, key);
	if (!put_unless_finite(j->f, v))
		fprintf(j->f, "%.17g", v);
}

void json_rounded(struct json *j, const char *key, double v)
{
	member(j, key);
	if (!put_unless_finite(j->f, v))
		fprintf(j->f, "%.0f", v);
}

void json_bool(struct json *j, const char *key, bool v)
{
	member(j, key);
	put(j->f, v ? "true" : "false");
}

void json_break(struct json *j)
{
	j->on_new_line = true;
}
