// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening a part of a file to be read as a stream.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "merge/parts.h"
#include "service/notify.h"

ssize_t merge_reader_fill(void *ctx, void *buf, size_t len)
{
	struct merge_reader *r = ctx;
	ssize_t n;

	/*
	 * A recorder that ends may need long to merge its snapshots, so tell
	 * the service manager that it is busy.
	 */
	notify_busy();
	if (len > r->end - r->at)
		len = r->end - r->at;
	do {
		n = pread(r->fd, buf, len, r->at);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	r->at += n;
	return n;
}

int merge_reader_open(struct merge *m, struct merge_reader *r, size_t input,
		      __u64 start, __u64 end)
{
	*r = (struct merge_reader){
		.in = &m->inputs[input], .start = start, .at = start, .end = end,
	};
	r->fd = r->in->inflated ? fcntl(r->in->inflated, F_DUPFD_CLOEXEC, 3) :
				  open(r->in->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (r->fd < 0)
		return diag(m->d, -errno, "%s: %s", r->in->path, strerror(errno));
	r->stream = read_open(merge_reader_fill, r);
	if (r->stream)
		return 0;
	close(r->fd);
	return diag(m->d, -ENOMEM, "out of memory");
}

void merge_reader_close(struct merge_reader *r)
{
	read_close(r->stream);
	close(r->fd);
}
