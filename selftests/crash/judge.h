/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of crash_judge. Each function reports its results as TAP. */
#ifndef JUDGE_H
#define JUDGE_H

#include "kept.h"

/* What the crashing program did, see crash_start.c */
struct judged {
	const char *name;		/* of the way and the kind */
	bool overwrite;
	bool frames;			/* there were raw samples and records, too */
	struct kept kept;
	uint64_t last;			/* time of the last chunk or frame */
};

__attribute__((format(printf, 3, 4)))
bool judge(const struct judged *judged, bool ok, const char *format, ...);

void judge_chunks(struct judged *judged);
void judge_frames(struct judged *judged);
void judge_gaps(struct judged *judged);
/* @cause and @message are what the stop must tell. */
void judge_stop(const struct judged *judged, uint32_t cause, const char *message);

#endif /* JUDGE_H */
