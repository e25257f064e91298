/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The private members of struct auxstream, and the function that makes an item of a record.
 */
#ifndef AUXSTREAM_ITEM_H
#define AUXSTREAM_ITEM_H

#include "auxstream/auxstream.h"
#include "stream/primer.h"
#include "stream/read_loss.h"

struct event_view {
	struct auxstream_event event;
	char unnamed[READ_EVENT_TEXT];	/* the name until an EVENT_UPDATE gives one */
};

struct auxstream {
	struct read_stream *stream;
	int fd;
	bool started;
	int status;		/* 1, or what each call returns from now on */
	char problem[160];
	struct read_attrs attrs;
	struct event_view **events;
	size_t nr_events;
	struct read_losses losses;
	__u64 first;		/* the oldest time so far; 0: none */
	bool primed;		/* the first AUXTRACE with data was read */
	bool has_data;		/* auxstream_data() can read data of the last item */
	__u8 head[PRIMER_SIZE];	/* data that looked like the primer and was not */
};

/* Return 0, -ENOMEM, or an error of read_blob(). */
int item_fill(struct auxstream *s, const struct read_record *rec, struct auxstream_item *item);

#endif /* AUXSTREAM_ITEM_H */
