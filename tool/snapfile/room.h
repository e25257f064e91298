/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Room for a snapshot that is being written to a full disk: how much room it still needs, and
 * whether there would be enough.
 */
#ifndef AUXREC_SNAPFILE_ROOM_H
#define AUXREC_SNAPFILE_ROOM_H

#include "snapfile/write.h"

enum snapfile_phase {
	SNAPFILE_BEGIN,		/* there is no file yet */
	SNAPFILE_DATA,		/* the stream is being written */
	SNAPFILE_NAME,		/* the file is complete and needs its name */
};

struct snapfile_room {
	const struct snapfile_job *job;
	const struct snapfile *file;
	enum snapfile_phase phase;
	__u64 size;		/* bytes of the whole file, 0: not known */
	int report;		/* -1: this process writes; otherwise it counts and reports here */
};

/*
 * Call this when the disk is full. It asks @job->no_space whether there is room now. If the size of
 * the file is needed for that and is not known, a child counts it first: the child does the rest of
 * the work but writes nothing. In that child this function returns true.
 */
bool snapfile_room(struct snapfile_room *r);

/*
 * Call this when the stream has been written (@err is 0) or could not be written. A process that
 * only counts reports the size here, and does not return.
 */
void snapfile_room_counted(const struct snapfile_room *r, int err);

#endif /* AUXREC_SNAPFILE_ROOM_H */
