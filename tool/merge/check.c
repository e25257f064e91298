// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check that a file keeps all rules of a stream. The first look at the file (merge/scan.c) checks
 * only what merging needs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "merge/parts.h"

/*
 * Put the first violation, as auxrec check lists it, into @text. Return what check_stream()
 * returns.
 */
static int check(struct merge *m, size_t input, char *text, size_t size)
{
	struct check *c = calloc(1, sizeof(*c));
	struct merge_reader r;
	int rc = -ENOMEM;

	*text = '\0';
	if (!c)
		return rc;
	c->max = 1;
	c->out = fmemopen(text, size, "w");
	if (c->out) {
		rc = merge_reader_open(m, &r, input, 0, m->inputs[input].size);
		if (!rc) {
			rc = check_stream(c, merge_reader_fill, &r);
			check_free(c);
			merge_reader_close(&r);
		}
		fclose(c->out);
	}
	free(c);
	text[strcspn(text, "\n")] = '\0';
	return rc;
}

int merge_check(struct merge *m, size_t input)
{
	const char *path = m->inputs[input].path;
	char text[600];
	const int rc = check(m, input, text, sizeof(text));

	switch (rc) {
	case CHECK_VALID:
		return 0;
	case CHECK_INVALID:
		return diag(m->d, -EBADMSG, "%s: is damaged, see auxrec check: %s", path, text);
	case CHECK_CUT:
		return diag(m->d, -EBADMSG, "%s: cut short", path);
	}
	return diag(m->d, rc, "%s: %s", path, strerror(-rc));
}

int merge_damaged(struct merge *m, const struct merge_reader *r,
		  const struct read_record *rec, const char *what)
{
	const unsigned long long offset = r->start + rec->offset;
	const char *path = r->in->path;
	char text[600];

	/* A valid stream can have records that no snapshot has. */
	if (check(m, r->in - m->inputs, text, sizeof(text)) == CHECK_INVALID)
		return diag(m->d, -EBADMSG, "%s: %s at offset %llu, see auxrec check", path,
			    what, offset);
	return diag(m->d, -EBADMSG, "%s: %s at offset %llu: a valid stream, but no snapshot", path,
		    what, offset);
}
