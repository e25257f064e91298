// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/survive.c: each record that the recorder passes on is in the journal once,
 * also if the journal goes on in its other half, and a record that does not fit is told.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"
#include "flight/flight.h"
#include "flight/survive.h"
#include "history/journal.h"

#define USER_SIZE	(16U << 10)
#define RECORDS		2000

struct comm {
	struct perf_event_header header;
	__u64 number;
};

/* The recorder has this many sideband records in memory. Older ones are in the state. */
#define KNOWN		10

static __u64 nr_known;
static unsigned int state_entries;

static struct comm comm_of(__u64 number)
{
	return (struct comm){ .header = { PERF_RECORD_COMM, 0, sizeof(struct comm) },
			      .number = number };
}

/* The next two functions replace those of history/recent.c. */
int recent_emit_state(const struct recent *r, state_fn fn, void *ctx)
{
	const struct comm rec = comm_of(0);
	unsigned int i;
	int err = 0;

	(void)r;
	for (i = 0; !err && i < state_entries; i++)
		err = fn(ctx, &rec.header);
	return err;
}

int recent_emit_sideband(const struct recent *r, state_fn fn, void *ctx)
{
	__u64 i = nr_known > KNOWN ? nr_known - KNOWN : 0;
	int err = 0;

	(void)r;
	while (!err && ++i <= nr_known) {
		const struct comm rec = comm_of(i);

		err = fn(ctx, &rec.header);
	}
	return err;
}

struct seen {
	__u64 last, nr, gaps;
	bool jumped;
};

static int see(void *ctx, enum journal_kind kind, const void *data, size_t size)
{
	const struct comm *rec = data;
	struct seen *s = ctx;

	(void)size;
	s->gaps += kind == JOURNAL_GAP;
	if (kind != JOURNAL_RECORD)
		return 0;
	s->jumped |= s->nr++ && rec->number != s->last + 1;
	s->last = rec->number;
	return 0;
}

static __u64 memory[USER_SIZE / 8];
static struct options opt = { .flight.survive = true };
static struct flight flight;
static struct session session = { .opt = &opt, .flight = &flight };

static void begin(void)
{
	struct diag d;

	memset(memory, 0, sizeof(memory));
	session.raw.user = memory;
	session.raw.user_size = sizeof(memory);
	nr_known = 0;
	state_entries = 1;
	if (survive_begin(&session, &d)) {
		printf("Bail out! %s\n", d.msg);
		exit(1);
	}
}

static void add(void)
{
	const struct comm rec = comm_of(nr_known + 1);

	survive_record(&session, &rec.header);
	nr_known++;
}

static void test_all_sideband(void)
{
	struct journal_found found;
	unsigned int i, bad = 0, both = 0;

	begin();
	for (i = 0; i < RECORDS; i++) {
		struct seen s = { 0 };

		add();
		journal_read(memory, sizeof(memory), see, &s, &found);
		bad += s.jumped || s.last != nr_known || found.lost;
		both += found.halves == 2;
	}
	tap_report(!bad && both, "the sideband record for which a half has no room is kept");
	survive_free(&session);
}

static void test_told(void)
{
	struct journal_found found = { 0 };
	struct seen s = { 0 };
	unsigned int i;

	begin();
	state_entries = USER_SIZE;
	for (i = 0; i < RECORDS; i++)
		add();
	journal_read(memory, sizeof(memory), see, &s, &found);
	tap_report(s.nr && !s.jumped && s.nr + found.lost == RECORDS,
		   "the state has become too large: all records that did not fit are told");
	survive_free(&session);
}

int main(void)
{
	test_all_sideband();
	test_told();
	return tap_end();
}
