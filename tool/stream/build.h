/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of our own, put together piece by piece and written to a stream. A stream
 * builds one record at a time.
 */
#ifndef AUXREC_STREAM_BUILD_H
#define AUXREC_STREAM_BUILD_H

#include "stream/write.h"

void build_begin(struct stream *out, __u32 type, __u16 misc);
/* @data: NULL: zeros */
void build_add(struct stream *out, const void *data, size_t len);
void build_add_u16(struct stream *out, __u16 v);
void build_add_u32(struct stream *out, __u32 v);
void build_add_u64(struct stream *out, __u64 v);
/* With its NUL, padded with zeros to a multiple of 8. */
void build_add_name(struct stream *out, const char *name);
/* Zeros: synthesized records have no time and belong to no event. */
void build_add_sample_id(struct stream *out);
/*
 * Pads the record to 8 bytes and writes it. Returns 0 or -errno of the stream. A record that
 * is too long is not written: -E2BIG, no message.
 */
int build_end(struct stream *out);

#endif /* AUXREC_STREAM_BUILD_H */
