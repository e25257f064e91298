/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of producers: drive rawprod, read its frames and check them one by one.
 *
 * The functions return 0 or -errno, unless their comments say otherwise.
 */
#ifndef PRODUCE_LIB_H
#define PRODUCE_LIB_H

#include "../../modules/rawprod.h"
#include "raw_lib.h"

/* Open rawprod's device for @ring. */
int rawprod_open(int ring);
int rawprod_run(int dev, struct rawprod_run *run);

/*
 * Frames of one producer. Their cookies are .cookie, .cookie + 1 ... in the order
 * in which they were written.
 */
struct stream {
	uint64_t cookie;
	uint32_t count;		/* number of possible cookies */
	uint32_t length;
	bool same_cookie;	/* all frames have the first cookie */
	/* checks the data; NULL: the data must be what rawprod_fill() makes */
	bool (*check)(const void *data, uint64_t cookie, uint32_t length);
	/* the frames that were read so far */
	uint64_t committed;
	uint64_t discarded;
	uint64_t abandoned;
	uint64_t *times;	/* time of each of @count; 0: not seen */
	const struct perfaux_frame *last;	/* valid until it is released */
};

struct streams {
	struct stream *stream;
	int nr;
	const char *wrong;
};

/* Return what is wrong with the streams, or "". */
static inline const char *streams_wrong(const struct streams *all)
{
	return all->wrong ?: "";
}

int stream_init(struct stream *s, uint64_t cookie, uint32_t count,
		uint32_t length);
void stream_free(struct stream *s);

/* frame_fn of raw_walk() and raw_read_ready(); @ctx: struct streams */
void stream_see(void *ctx, const struct perfaux_frame *frame);
/*
 * Return whether the times are those of one producer that writes one record after
 * the other.
 */
bool stream_in_order(const struct stream *s);

/* What gaps report about the records with cookies from @cookie on */
struct lost {
	uint64_t cookie;
	uint32_t count_cookies;
	uint64_t gaps;
	uint64_t count[PERFAUX_NR_CAUSES];
	uint64_t bytes[PERFAUX_NR_CAUSES];
	const char *wrong;
};

/* record_fn of ring_read(); @ctx: struct lost */
void lost_see(void *ctx, const struct record *record);

#endif /* PRODUCE_LIB_H */
