// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make TRACING_DATA, which has the formats of the recorded tracepoints, in the layout
 * that libtraceevent's readers expect (trace-cmd's file format, version 0.6).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream/records.h"
#include "synth/synth.h"
#include "event/tracefs.h"

struct blob {
	char *data;
	size_t len;
	bool failed;
};

static void add(struct blob *b, const void *data, size_t len)
{
	char *more;

	if (b->failed)
		return;
	more = realloc(b->data, b->len + len);
	if (!more) {
		b->failed = true;
		return;
	}
	memcpy(more + b->len, data, len);
	b->data = more;
	b->len += len;
}

static void add_u32(struct blob *b, __u32 v)
{
	add(b, &v, sizeof(v));
}

static void add_string(struct blob *b, const char *str)
{
	add(b, str, strlen(str) + 1);
}

/*
 * Add a file's size, in @size_len bytes (4 or 8), and its contents. A file that cannot
 * be read counts as empty, unless it is @needed.
 */
static int add_file(struct blob *b, const char *path, size_t size_len,
		    bool needed)
{
	char *data = NULL;
	size_t len = 0;
	__u64 size;
	int err;

	err = slurp(path, &data, &len);
	if (err && needed)
		return err;
	size = len;
	/* This needs a little endian machine, where the low bytes come first. */
	add(b, &size, size_len);
	if (len)
		add(b, data, len);
	free(data);
	return 0;
}

/*
 * Add the last part. If no padding would follow it, add one more newline, which does
 * not change its meaning: perf inject of 6.1 fails without padding.
 */
static void add_cmdlines(struct blob *b, const char *path)
{
	const size_t at = b->len;
	__u64 size;

	add_file(b, path, sizeof(size), false);
	if (b->failed || b->len % 8)
		return;
	add(b, "\n", 1);
	if (b->failed)
		return;
	size = b->len - at - sizeof(size);
	memcpy(b->data + at, &size, sizeof(size));
}

static void add_head(struct blob *b)
{
	static const char magic[] = "\x17\x08\x44tracing";
	const __u8 big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const __u8 long_size = sizeof(long);

	add(b, magic, sizeof(magic) - 1);
	add_string(b, "0.6");
	add(b, &big_endian, 1);
	add(b, &long_size, 1);
	add_u32(b, sysconf(_SC_PAGESIZE));
}

static bool is_tracepoint(const struct sev *sev)
{
	return sev->ev && sev->ev->tp_system && sev->ev->tp_name;
}

/* Does an event before this one have the same system (and name)? */
static bool seen_before(const struct session *s, size_t at, bool name)
{
	const struct auxrec_event *ev = s->sev[at].ev;
	size_t i;

	for (i = 0; i < at; i++) {
		const struct auxrec_event *o = s->sev[i].ev;

		if (is_tracepoint(&s->sev[i]) &&
		    !strcmp(o->tp_system, ev->tp_system) &&
		    (!name || !strcmp(o->tp_name, ev->tp_name)))
			return true;
	}
	return false;
}

/* Add a system: its name, the number of formats, and the formats. */
static int add_system(struct blob *b, const struct session *s,
		      const char *root, const char *system)
{
	__u32 nr = 0;
	int err = 0;
	size_t i;
	int pass;

	add_string(b, system);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; !err && i < s->nr_sev; i++) {
			char path[2 * PATH_MAX];

			if (!is_tracepoint(&s->sev[i]) ||
			    strcmp(s->sev[i].ev->tp_system, system) ||
			    seen_before(s, i, true))
				continue;
			if (!pass) {
				nr++;
				continue;
			}
			snprintf(path, sizeof(path), "%s/events/%s/%s/format",
				 root, system, s->sev[i].ev->tp_name);
			err = add_file(b, path, 8, true);
		}
		if (!pass)
			add_u32(b, nr);
	}
	return err;
}

static int build(struct blob *b, const struct session *s, const char *root)
{
	char path[2 * PATH_MAX];
	__u32 nr = 0;
	size_t i;
	int err;

	add_head(b);
	add_string(b, "header_page");
	snprintf(path, sizeof(path), "%s/events/header_page", root);
	err = add_file(b, path, 8, true);
	if (err)
		return err;
	add_string(b, "header_event");
	snprintf(path, sizeof(path), "%s/events/header_event", root);
	err = add_file(b, path, 8, true);
	if (err)
		return err;

	add_u32(b, 0);			/* formats of the system ftrace */

	for (i = 0; i < s->nr_sev; i++)
		nr += is_tracepoint(&s->sev[i]) && !seen_before(s, i, false);
	add_u32(b, nr);
	for (i = 0; i < s->nr_sev; i++) {
		if (!is_tracepoint(&s->sev[i]) || seen_before(s, i, false))
			continue;
		err = add_system(b, s, root, s->sev[i].ev->tp_system);
		if (err)
			return err;
	}

	/* kallsyms is empty, because readers find the kernel's symbols by its build-id. */
	add_u32(b, 0);
	snprintf(path, sizeof(path), "%s/printk_formats", root);
	add_file(b, path, 4, false);
	snprintf(path, sizeof(path), "%s/saved_cmdlines", root);
	/* These are the names of any tasks. COMM records have those that readers need. */
	add_cmdlines(b, s->opt->flight.only_task ? "" : path);
	return b->failed ? -ENOMEM : 0;
}

int synth_tracing_data(struct session *s, struct diag *d)
{
	struct rec_tracing_data rec = {
		.header = { REC_TRACING_DATA, 0, sizeof(rec) },
	};
	struct blob b = { NULL, 0, false };
	char root[PATH_MAX];
	size_t i;
	int err;

	for (i = 0; i < s->nr_sev && !is_tracepoint(&s->sev[i]); i++)
		;
	if (i == s->nr_sev)
		return 0;

	err = tracepoint_find_tracefs(root, sizeof(root));
	if (!err)
		err = build(&b, s, root);
	if (err) {
		free(b.data);
		return diag(d, err, "the formats of the tracepoints: %s",
			    strerror(-err));
	}

	rec.size = ALIGN8(b.len);
	err = stream_record_data(&s->out, &rec, sizeof(rec), b.data, b.len,
				 rec.size - b.len);
	if (!err)
		err = stream_flush(&s->out);
	free(b.data);
	return err;
}
