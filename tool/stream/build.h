/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Build auxrec's own records piece by piece, and write them to a stream. A stream
 * builds one record at a time.
 */
#ifndef AUXREC_STREAM_BUILD_H
#define AUXREC_STREAM_BUILD_H

#include "stream/write.h"

void build_begin(struct stream *out, __u32 type, __u16 misc);
/* Add @len bytes, or zeros if @data is NULL. */
void build_add(struct stream *out, const void *data, size_t len);
void build_add_u16(struct stream *out, __u16 v);
void build_add_u32(struct stream *out, __u32 v);
void build_add_u64(struct stream *out, __u64 v);
/* Add a string with its NUL, padded with zeros to a multiple of 8. */
void build_add_name(struct stream *out, const char *name);
/* Add zeros: synthesized records have no time and belong to no event. */
void build_add_sample_id(struct stream *out);
/*
 * Pad the record to a multiple of 8 bytes and write it. A record that is too long is not
 * written. Return 0, -E2BIG (too long, no message), or -errno of the stream.
 */
int build_end(struct stream *out);

#endif /* AUXREC_STREAM_BUILD_H */
