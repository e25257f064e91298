/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognize what auxrec puts into PERF_SAMPLE_RAW: chunks of AUX data (stream/aux_chunk.h) and
 * payloads (stream/payload.h).
 */
#ifndef AUXREC_STREAM_READ_RAW_H
#define AUXREC_STREAM_READ_RAW_H

#include "stream/aux_chunk.h"
#include "stream/payload.h"
#include "stream/read_sample.h"

/* Return whether samples of this event contain chunks of AUX data. */
bool read_is_chunk_event(const struct perf_event_attr *attr);

/*
 * read_chunk() - parse the header of a chunk
 *
 * Return: true if the sample is a chunk: @h->length bytes of AUX data are at @s->raw plus
 * @h->header_size, inside the record.
 */
bool read_chunk(const struct read_sample *s, struct auxrec_chunk *h);

/*
 * read_payload() - parse the header of a payload, of one part of it, or of a loss
 *
 * Return: true if RAW of the sample is a payload header: @h->length bytes of data are at
 * @s->raw plus @h->header_size, inside the record. @h->key tells the ring: the config1 of the
 * payload event of the stream.
 */
bool read_payload(const struct read_sample *s, struct auxrec_payload *h);

/* Return the size of the sample's RAW without padding, where the record tells it. */
__u32 read_raw_size(const struct read_record *rec, const struct read_sample *s);

#endif /* AUXREC_STREAM_READ_RAW_H */
