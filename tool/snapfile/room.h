/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Room for a snapshot that is being written to a full disk: how much it still needs, and whether
 * that would be there.
 */
#ifndef AUXREC_SNAPFILE_ROOM_H
#define AUXREC_SNAPFILE_ROOM_H

#include "snapfile/write.h"

enum snapfile_phase {
	SNAPFILE_BEGIN,		/* there is no file */
	SNAPFILE_DATA,		/* the stream is being written */
	SNAPFILE_NAME,		/* all is in it */
};

struct snapfile_room {
	const struct snapfile_job *job;
	const struct snapfile *file;
	enum snapfile_phase phase;
	__u64 size;		/* bytes of the whole file, 0: not known */
	int report;		/* this process only counts, and tells this pipe; -1: it writes */
};

/*
 * The disk is full. Asks @job->no_space whether there is room now. The size of the file is counted
 * first, by a child that does what is left to do and writes nothing: in that child, too, this
 * returns, true.
 */
bool snapfile_room(struct snapfile_room *r);

/* The stream is written, if @err is 0. Does not return in a process that only counts. */
void snapfile_room_counted(const struct snapfile_room *r, int err);

#endif /* AUXREC_SNAPFILE_ROOM_H */
