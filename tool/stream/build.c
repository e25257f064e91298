// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build auxrec's own records piece by piece, and write them to a stream.
 */
#include <errno.h>
#include <string.h>

#include "stream/build.h"

void build_begin(struct stream *out, __u32 type, __u16 misc)
{
	out->build.header = (struct perf_event_header){ .type = type, .misc = misc };
	out->build.len = sizeof(out->build.header);
	out->build.too_long = false;
}

void build_add(struct stream *out, const void *data, size_t len)
{
	if (out->build.too_long || len > REC_SIZE_MAX - out->build.len) {
		out->build.too_long = true;
		return;
	}
	if (data)
		memcpy(out->build.bytes + out->build.len, data, len);
	else
		memset(out->build.bytes + out->build.len, 0, len);
	out->build.len += len;
}

void build_add_u16(struct stream *out, __u16 v)
{
	build_add(out, &v, sizeof(v));
}

void build_add_u32(struct stream *out, __u32 v)
{
	build_add(out, &v, sizeof(v));
}

void build_add_u64(struct stream *out, __u64 v)
{
	build_add(out, &v, sizeof(v));
}

void build_add_name(struct stream *out, const char *name)
{
	size_t len = strlen(name) + 1;

	build_add(out, name, len);
	build_add(out, NULL, ALIGN8(len) - len);
}

void build_add_sample_id(struct stream *out)
{
	build_add(out, NULL, sizeof(struct rec_sample_id));
}

int build_end(struct stream *out)
{
	build_add(out, NULL, ALIGN8(out->build.len) - out->build.len);
	if (out->build.too_long)
		return -E2BIG;
	out->build.header.size = out->build.len;
	return stream_record(out, out->build.bytes);
}

