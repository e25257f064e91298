// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a stream that is compressed as a whole. Frames end between records, so each prefix of the
 * file that ends with a frame is a valid stream.
 */
#include <errno.h>

#include "stream/write.h"

/*
 * A frame ends when it has this many bytes of the stream, or more. If the file cannot be written
 * any more, the last frame is removed from it. So stream.ends (STREAM_ENDS) must have room for all
 * samples of a frame.
 */
#define FRAME_BYTES	(1U << 20)

int stream_compress(struct stream *s, int level, struct diag *d)
{
	s->frames = write_frames_new(level);
	return s->frames ? 0 : diag(d, -ENOMEM, "out of memory");
}

int stream_flush_compressed(struct stream *s, bool end, write_frames_fn fn)
{
	const __u64 frame = s->frame + s->pending;
	unsigned int i;
	int err = 0;

	if (!frame || (!s->pending && !end))
		return 0;
	for (i = 0; !err && i < s->nr_iov; i++)
		err = write_frames_put(s->frames, s->iov[i].iov_base, s->iov[i].iov_len, fn, s);
	end |= frame >= FRAME_BYTES;
	if (!err)
		err = write_frames_flush(s->frames, end, fn, s);
	if (err)
		return err;
	s->bytes += s->pending;
	s->frame = end ? 0 : frame;
	if (end)
		s->frame_stored = s->stored;
	return 0;
}
