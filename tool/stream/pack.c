// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compress records to COMPRESSED records.
 */
#include "stream/pack.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "stream/records.h"

struct pack {
	ZSTD_CCtx *zstd;
	bool failed;
	size_t len;
	__u32 samples;
	__u8 records[PACK_BYTES];
	union {
		struct perf_event_header header;
		__u8 bytes[REC_SIZE_MAX];
	} out;
};

/* The end of a flush, and the header of the zstd stream, are not in ZSTD_compressBound(). */
_Static_assert(sizeof(struct perf_event_header) + ZSTD_COMPRESSBOUND(PACK_BYTES) + 32 <=
	       REC_SIZE_MAX, "a COMPRESSED record can become too long");

struct pack *pack_new(int level)
{
	struct pack *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	memset(p, 0, offsetof(struct pack, records));
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, level))) {
		pack_free(p);
		return NULL;
	}
	return p;
}

void pack_free(struct pack *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	free(p);
}

bool pack_has_room(const struct pack *p, size_t size)
{
	return !p->failed && p->len + size <= sizeof(p->records);
}

void pack_add(struct pack *p, const void *data, size_t len)
{
	if (data)
		memcpy(p->records + p->len, data, len);
	else
		memset(p->records + p->len, 0, len);
	p->len += len;
}

void pack_count(struct pack *p)
{
	p->samples++;
}

size_t pack_bytes(const struct pack *p)
{
	return p->len;
}

__u32 pack_samples(const struct pack *p)
{
	return p->samples;
}

size_t pack_take(struct pack *p, const void **rec)
{
	ZSTD_outBuffer out = {
		.dst = p->out.bytes, .size = sizeof(p->out), .pos = sizeof(p->out.header),
	};
	ZSTD_inBuffer in = { .src = p->records, .size = p->len };
	const size_t len = p->len;
	size_t left;

	if (!len)
		return 0;
	p->len = 0;
	p->samples = 0;
	/* 0: all is compressed, and flushed */
	left = ZSTD_compressStream2(p->zstd, &out, &in, ZSTD_e_flush);
	if (left) {
		/* Readers cannot read on in the zstd stream, but all other records. */
		p->failed = true;
		*rec = p->records;
		return len;
	}
	p->out.header = (struct perf_event_header){ REC_COMPRESSED, 0, out.pos };
	*rec = p->out.bytes;
	return out.pos;
}

void pack_restart(struct pack *p)
{
	if (ZSTD_isError(ZSTD_CCtx_reset(p->zstd, ZSTD_reset_session_only)))
		p->failed = true;
}
