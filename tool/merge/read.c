// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read parts of files, and report files that are damaged.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "merge/parts.h"

int merge_reader_copy(struct merge *m, struct merge_reader *r,
		      const struct read_record *rec, __u64 len)
{
	static __u8 buf[256 * 1024];

	/* If nothing is written, the reader skips the data itself. */
	while (len && m->out.fd >= 0) {
		const ssize_t n = read_blob(r->stream, buf, sizeof(buf));

		if (n <= 0)
			return merge_damaged(m, r, rec, "not all of the data");
		merge_out_add(&m->out, buf, n);
		len -= n;
	}
	return 0;
}

int merge_reader_next(struct merge *m, struct merge_reader *r,
		      struct read_record *rec)
{
	const int rc = read_next(r->stream, rec);

	switch (rc) {
	case 0:
		if (r->at == r->end)
			return 0;
		return diag(m->d, -EBADMSG, "%s: became shorter while it was read",
			    r->in->path);
	case 1:
		return 1;
	case -EBADMSG:
		return merge_damaged(m, r, rec, "an impossible record");
	case -ENODATA:
		return diag(m->d, -EBADMSG,
			    "%s: cut short, in the middle of the record at offset %llu",
			    r->in->path,
			    (unsigned long long)(r->start + read_cut(r->stream)));
	}
	return diag(m->d, rc, "%s: %s", r->in->path, strerror(-rc));
}
