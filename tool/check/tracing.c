// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the blob of TRACING_DATA. Readers parse the blob, and then compare its
 * parsed length, padded to 8, with the record's size. If they differ, readers stop.
 */
#include <errno.h>
#include <string.h>

#include "check/check.h"

struct tracing {
	struct check *c;
	__u64 left;		/* bytes of the blob that were not read yet */
	int rc;			/* 1, 0 if the blob is too short, or -errno */
};

static bool take(struct tracing *t, void *buf, size_t len)
{
	size_t got = 0;

	if (t->rc <= 0)
		return false;
	if (len > t->left) {
		t->rc = 0;
		return false;
	}
	while (got < len) {
		ssize_t n = read_blob(t->c->stream, (char *)buf + got, len - got);

		if (n <= 0) {
			t->rc = n ? n : -ENODATA;
			return false;
		}
		got += n;
	}
	t->left -= len;
	return true;
}

static void skip(struct tracing *t, __u64 len)
{
	char buf[4096];

	/* Test @len first, so that a huge size costs no time. */
	if (t->rc > 0 && len > t->left)
		t->rc = 0;
	while (t->rc > 0 && len) {
		size_t n = len < sizeof(buf) ? len : sizeof(buf);

		take(t, buf, n);
		len -= n;
	}
}

static __u32 take32(struct tracing *t)
{
	__u32 v = 0;

	take(t, &v, sizeof(v));
	return v;
}

static __u64 take64(struct tracing *t)
{
	__u64 v = 0;

	take(t, &v, sizeof(v));
	return v;
}

/* Read a string up to its NUL, and cut it to @room. */
static void take_string(struct tracing *t, char *buf, size_t room)
{
	size_t n = 0;
	char ch = 1;

	while (ch && take(t, &ch, 1)) {
		if (n + 1 < room)
			buf[n++] = ch;
	}
	buf[ch ? n : (n ? n - 1 : 0)] = 0;
}

static void take_formats(struct tracing *t)
{
	__u32 nr = take32(t), i;

	for (i = 0; i < nr && t->rc > 0; i++)
		skip(t, take64(t));
}

static const char *parse(struct tracing *t)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char buf[32];
	unsigned int i, systems;
	bool cmdlines;

	if (!take(t, buf, sizeof(magic) - 1))
		return NULL;
	if (memcmp(buf, magic, sizeof(magic) - 1))
		return "its magic";
	take_string(t, buf, sizeof(buf));
	cmdlines = strcmp(buf, "0.6") >= 0;
	skip(t, 1 + 1 + 4);	/* byte order, size of long, size of page */
	take_string(t, buf, sizeof(buf));
	if (t->rc > 0 && strcmp(buf, "header_page"))
		return "header_page";
	skip(t, take64(t));
	take_string(t, buf, sizeof(buf));
	if (t->rc > 0 && strcmp(buf, "header_event"))
		return "header_event";
	skip(t, take64(t));
	take_formats(t);	/* formats of the system ftrace */
	systems = take32(t);
	for (i = 0; i < systems && t->rc > 0; i++) {
		take_string(t, buf, sizeof(buf));
		take_formats(t);
	}
	skip(t, take32(t));	/* kallsyms */
	skip(t, take32(t));	/* printk formats */
	if (cmdlines)
		skip(t, take64(t));
	return NULL;
}

int check_tracing(struct check *c, const struct read_record *rec)
{
	struct tracing t = { .c = c, .left = rec->blob, .rc = 1 };
	const char *missing;
	char pad[8] = { 0 };

	c->tracing_seen = true;
	if (rec->size != 16 && rec->size != 12)
		check_fail(c, rec, RULE_TRACING_DATA, "a record of 16 bytes",
			   "%u", rec->size);
	if (rec->blob % 8)
		check_fail(c, rec, RULE_TRACING_DATA, "a multiple of 8 bytes",
			   "%llu", rec->blob);
	missing = parse(&t);
	if (t.rc < 0)
		return t.rc;
	if (missing) {
		check_fail(c, rec, RULE_TRACING_DATA, missing, "something else");
	} else if (!t.rc) {
		check_fail(c, rec, RULE_TRACING_DATA, "as much as the layout says",
			   "only %llu bytes", rec->blob);
	} else if (t.left >= 8) {
		check_fail(c, rec, RULE_TRACING_DATA,
			   check_expect(c, "%llu bytes and their padding",
					rec->blob - t.left),
			   "%llu", rec->blob);
	} else if (t.left) {
		take(&t, pad, t.left);
		if (memcmp(pad, "\0\0\0\0\0\0\0", sizeof(pad)))
			check_fail(c, rec, RULE_TRACING_DATA, "zeros as padding",
				   "others");
	}
	return t.rc < 0 ? t.rc : 1;
}
