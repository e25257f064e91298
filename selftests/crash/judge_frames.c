// SPDX-License-Identifier: GPL-2.0-only
/* Judge frames and gaps that a crash has left. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../modules/rawgen.h"
#include "../modules/rawprod.h"
#include "../ring/lib/ring_lib.h"
#include "judge.h"

struct frames {
	struct judged *judged;
	uint64_t raw, produced;
	uint64_t last;			/* number of the last record of the producer, + 1 */
	const char *wrong;
};

static bool is_raw(const struct perfaux_frame *frame)
{
	struct rawgen_header header;
	uint64_t key, word;
	uint32_t i;

	if (frame->length < sizeof(header))
		return false;
	memcpy(&header, frame->data, sizeof(header));
	key = rawgen_key(header.seq, header.cpu, header.context);
	if (header.magic != RAWGEN_MAGIC || header.cpu != frame->cpu ||
	    header.length > frame->length ||
	    header.check != rawgen_check(key, header.length, header.depth))
		return false;
	for (i = 0; sizeof(header) + 8 * (i + 1) <= header.length; i++) {
		memcpy(&word, frame->data + sizeof(header) + 8 * i, 8);
		if (word != rawgen_word(key, i))
			return false;
	}
	return true;
}

static bool is_produced(const struct perfaux_frame *frame)
{
	uint8_t *data = malloc(frame->length);
	bool ok;

	rawprod_fill(data, frame->cookie, frame->length);
	ok = !memcmp(data, frame->data, frame->length);
	free(data);
	return ok;
}

static void see_frame(void *ctx, const struct perfaux_frame *frame)
{
	struct frames *frames = ctx;

	if (frame->cookie < COOKIE_PRODUCED) {
		frames->raw++;
		if (frame->cookie != COOKIE_RAW || !is_raw(frame))
			frames->wrong = "the data of a raw sample is wrong";
	} else {
		frames->produced++;
		if (!is_produced(frame))
			frames->wrong = "the data of a record is wrong";
		if (frame->cookie - COOKIE_PRODUCED >= frames->last)
			frames->last = frame->cookie - COOKIE_PRODUCED + 1;
	}
	if (frame->time > frames->judged->last)
		frames->judged->last = frame->time;
}

void judge_frames(struct judged *judged)
{
	const uint64_t produced = judged->kept.note->produced;
	struct frames frames = { .judged = judged };
	unsigned int cut = kept_frames(&judged->kept, see_frame, &frames);

	judge(judged, !frames.wrong && !cut, "frames: %s",
	      frames.wrong ?: cut ? "no frame follows a frame" : "right");
	judge(judged, frames.raw && frames.produced, "there are samples and records");
	/* The program may have committed one more record, and not noted it before the crash. */
	judge(judged, frames.last == produced || frames.last == produced + 1,
	      "the last record is there: %" PRIu64 " of %" PRIu64, frames.last, produced);
	printf("# %" PRIu64 " raw samples, %" PRIu64 " records\n", frames.raw, frames.produced);
}

struct gaps {
	const struct judged *judged;
	unsigned int nr;
	const char *wrong;
};

static void see_gap(void *ctx, const struct perfaux_gap *gap)
{
	const struct note *note = ((struct gaps *)ctx)->judged->kept.note;
	struct gaps *gaps = ctx;

	gaps->nr++;
	/* A gap without an end was still open at the crash, so it has no number yet. */
	if ((gap->t_end ? gap->t_begin > gap->t_end : gap->seq) || gap->t_begin < note->since)
		gaps->wrong = "times";
	if (gap->cause == PERFAUX_CAUSE_TRUNCATED ?
	    gap->cookie != COOKIE_AUX + STREAM_TRUNCATE :
	    gap->cause != PERFAUX_CAUSE_FULL)
		gaps->wrong = "cause";
	if (gap->cpu >= KEPT_CPUS || !gap->count)
		gaps->wrong = "count or CPU";
}

void judge_gaps(struct judged *judged)
{
	struct gaps gaps = { .judged = judged };

	kept_gaps(&judged->kept, see_gap, &gaps);
	judge(judged, gaps.nr && !gaps.wrong, "%u gaps fit%s%s", gaps.nr,
	      gaps.wrong ? ", but not: " : "", gaps.wrong ?: "");
	if (!judged->overwrite)
		judge(judged, judged->kept.ctl->lost_count[PERFAUX_CAUSE_FULL],
		      "the ring was full");
}
