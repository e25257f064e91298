/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A writer of JSON, which sets the commas, the line breaks and the escapes.
 */
#ifndef AUXREC_JSON_H
#define AUXREC_JSON_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define JSON_DEPTH	8	/* objects and arrays inside each other */

/* How the members of an object or array are separated */
enum json_layout {
	JSON_TIGHT,		/* {"a":1,"b":2} */
	JSON_SPACED,		/* {"a": 1, "b": 2} */
	JSON_LINES,		/* each on its own line; the bracket follows the last one */
	JSON_BLOCK,		/* each on its own line, and the bracket too */
};

struct json {
	FILE *f;
	unsigned int depth;
	bool on_new_line;	/* see json_break() */
	struct json_level {
		enum json_layout layout;
		bool filled;	/* the object or array has a member */
		bool lines;	/* it has a member on a line of its own */
	} level[JSON_DEPTH];
};

/*
 * Each value below is a member of the innermost object or array. In an object, @key is its key,
 * which is written without escapes. In an array and for the outermost value, @key is NULL.
 */
void json_object(struct json *j, const char *key, enum json_layout layout);
void json_end_object(struct json *j);
void json_array(struct json *j, const char *key, enum json_layout layout);
void json_end_array(struct json *j);

/*
 * Write a string, or null if @s is NULL. Valid UTF-8 sequences are written unchanged; other bytes
 * from 0x80 on are replaced by U+FFFD.
 */
void json_string(struct json *j, const char *key, const char *s);
/* Write @len bytes as a string of hexadecimal digits. */
void json_hex(struct json *j, const char *key, const void *bytes, size_t len);
void json_u64(struct json *j, const char *key, __u64 v);
void json_s64(struct json *j, const char *key, __s64 v);
/*
 * json_double() writes all digits, json_rounded() those of the nearest whole number. Both write
 * null for a number that is not finite.
 */
void json_double(struct json *j, const char *key, double v);
void json_rounded(struct json *j, const char *key, double v);
void json_bool(struct json *j, const char *key, bool v);

/* Put the next member on a line of its own. */
void json_break(struct json *j);

#endif /* AUXREC_JSON_H */
