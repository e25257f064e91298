// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/history/journal.c: after a crash at any moment, and with any contents of the
 * memory, the reader finds the newest records, each of them as it was written.
 *
 * test_journal [SEED]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../rounds.h"
#include "../../tap.h"
#include "base/util.h"
#include "history/journal.h"

#define SIZE		(16U << 10)
#define STEPS		4000
#define STATE_MAX	8	/* entries of a checkpoint */

/* A record: its number, repeated. The number also determines the length. */
static size_t record_size(__u64 number)
{
	return 8 + number * 2654435761U % 200;
}

static void make_record(__u64 number, __u8 *data)
{
	size_t i;

	for (i = 0; i < record_size(number); i++)
		data[i] = (number + i * 7) >> (i % 3 * 8);
	memcpy(data, &number, sizeof(number));
}

static bool is_record(const __u8 *data, size_t size)
{
	__u8 want[256];
	__u64 number;

	if (size < sizeof(number))
		return false;
	memcpy(&number, data, sizeof(number));
	if (size != record_size(number))
		return false;
	make_record(number, want);
	return !memcmp(want, data, size);
}

static __u64 seed;

static __u32 rnd(__u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

/* What a reader has found */
struct seen {
	__u64 first, last, nr;
	unsigned int states, others;
	bool wrong, jumped;
};

static int see(void *ctx, enum journal_kind kind, const void *data, size_t size)
{
	struct seen *s = ctx;
	__u64 number;

	if (kind == JOURNAL_STATE) {
		s->states++;
		s->wrong |= s->nr > 0;
		return 0;
	}
	if (kind == JOURNAL_SESSION || kind == JOURNAL_GAP) {
		s->others++;
		return 0;
	}
	if (kind != JOURNAL_RECORD || !is_record(data, size)) {
		s->wrong = true;
		return 0;
	}
	memcpy(&number, data, sizeof(number));
	s->wrong |= s->nr && number <= s->last;
	s->jumped |= s->nr && number != s->last + 1;
	if (!s->nr++)
		s->first = number;
	s->last = number;
	return 0;
}

struct world {
	__u64 memory[SIZE / 8];
	struct journal j;
	__u64 next;		/* number of the next record */
	__u64 added;		/* number of the last record that is in the journal */
	__u64 sealed_at;	/* first record after the last complete checkpoint */
	__u64 sealed_before;	/* likewise, the checkpoint before that */
	unsigned int checkpoints;
	__u64 lost;
};

static int add_checkpoint(struct world *w, unsigned int entries)
{
	__u8 state[64] = { 1 };
	int err = 0;

	journal_begin(&w->j);
	while (!err && entries--)
		err = journal_add(&w->j, JOURNAL_STATE, state, 1 + rnd(sizeof(state)));
	return err;
}

static void seal(struct world *w)
{
	journal_seal(&w->j, 1000 + w->next, w->lost);
	w->sealed_before = w->sealed_at;
	w->sealed_at = w->next;
	w->checkpoints++;
	w->lost = 0;
}

static void checkpoint(struct world *w)
{
	if (add_checkpoint(w, 1 + rnd(STATE_MAX)))
		journal_give_up(&w->j);
	else
		seal(w);
}

static void add(struct world *w)
{
	__u8 data[256];

	make_record(w->next, data);
	if (!journal_add(&w->j, JOURNAL_RECORD, data, record_size(w->next))) {
		w->added = w->next++;
		return;
	}
	checkpoint(w);
	if (journal_add(&w->j, JOURNAL_RECORD, data, record_size(w->next)))
		w->lost++;
	else
		w->added = w->next++;
}

static struct seen read_all(const void *memory, struct journal_found *found)
{
	struct seen s = { 0 };

	journal_read(memory, SIZE, see, &s, found);
	return s;
}

/* Everything since the last checkpoint but one must be there, in order, and nothing else. */
static bool is_complete(const struct world *w, const struct seen *s,
			const struct journal_found *found)
{
	const __u64 from = w->checkpoints > 1 ? w->sealed_before : w->sealed_at;

	if (!w->checkpoints)
		return !found->halves && !s->nr;
	if (s->wrong || s->jumped || found->holes || !s->states)
		return false;
	if (w->added < from)
		return !s->nr;
	return s->nr == w->added - from + 1 && s->first == from && s->last == w->added;
}

static void begin(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->next = 1;
	journal_init(&w->j, w->memory, SIZE);
}

static void test_crash_anywhere(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct journal_found found;
	unsigned int i, bad = 0;
	struct seen s;

	begin(w);
	s = read_all(w->memory, &found);
	tap_report(!found.halves && !s.nr, "memory that was never written to has nothing");
	checkpoint(w);
	for (i = 0; i < STEPS; i++) {
		add(w);
		s = read_all(w->memory, &found);
		bad += !is_complete(w, &s, &found);
	}
	tap_report(!bad && w->checkpoints > 10,
		   "all records since the last checkpoint but one: %u checkpoints", w->checkpoints);
	free(w);
}

/* The crash comes while a checkpoint is written: the half that is full must still be there. */
static void test_crash_in_checkpoint(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct journal_found found;
	unsigned int i, bad = 0;
	struct seen s;

	begin(w);
	checkpoint(w);
	for (i = 0; i < 300; i++) {
		while (w->j.half - w->j.at > 512)
			add(w);
		add_checkpoint(w, 1 + rnd(STATE_MAX));
		s = read_all(w->memory, &found);
		bad += s.wrong || s.jumped || found.halves != 1 || s.first != w->sealed_at ||
		       s.last != w->added;
		seal(w);
		s = read_all(w->memory, &found);
		bad += !is_complete(w, &s, &found) || found.halves != 2;
	}
	tap_report(!bad, "a crash while a checkpoint is written leaves the half before it");
	free(w);
}

static void test_give_up(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct journal_found found;
	__u64 last;
	struct seen s;
	int i;

	begin(w);
	checkpoint(w);
	for (i = 0; i < 20; i++)
		add(w);
	last = w->added;
	for (i = 0; i < 3; i++) {
		while (!add_checkpoint(w, 10000))
			;
		journal_give_up(&w->j);
	}
	s = read_all(w->memory, &found);
	tap_report(!s.wrong && s.last == last && found.halves == 1,
		   "a checkpoint that does not fit leaves the other half as it is");
	tap_report(journal_add(&w->j, JOURNAL_RECORD, &last, 8) == -ENOSPC,
		   "nothing is added before a checkpoint fits: the order would not tell what is missing");
	w->lost = 7;
	checkpoint(w);
	add(w);
	s = read_all(w->memory, &found);
	tap_report(!s.wrong && s.last == w->added && found.lost == 7 && found.halves == 2,
		   "the next checkpoint tells how many records did not fit");
	free(w);
}

/*
 * If both halves are read, the reader skips the state and the records in the newer half's
 * checkpoint, because the older half has them. It reads the description and the gaps there.
 */
static void test_newer_checkpoint(void)
{
	struct world *w = calloc(1, sizeof(*w));
	const __u64 data[2] = { 1, 2 };
	struct journal_found found;
	struct seen s;
	int err;

	begin(w);
	checkpoint(w);
	add(w);
	journal_begin(&w->j);
	err = journal_add(&w->j, JOURNAL_SESSION, data, 16) ?:
	      journal_add(&w->j, JOURNAL_STATE, data, 8) ?:
	      journal_add(&w->j, JOURNAL_RECORD, data, 8) ?:
	      journal_add(&w->j, JOURNAL_GAP, data, 16);
	seal(w);
	add(w);
	s = read_all(w->memory, &found);
	tap_report(!err && !s.wrong && found.halves == 2 && s.nr == 2 && s.others == 2,
		   "the newer half's description and gaps are read");
	w->memory[SIZE / 16 * w->j.now + 12] ^= 1;
	s = read_all(w->memory, &found);
	tap_report(!s.wrong && found.holes && s.nr == 2 && s.last == w->added,
		   "its checkpoint is damaged: the records after it are read, and the hole is told");
	free(w);
}

/* Records that did not fit are told even if no checkpoint fits any more before the crash. */
static void test_lose(void)
{
	struct world *w = calloc(1, sizeof(*w));
	struct journal_found found;

	begin(w);
	checkpoint(w);
	add(w);
	while (!add_checkpoint(w, 10000))
		;
	journal_give_up(&w->j);
	journal_lose(&w->j, 1);
	journal_lose(&w->j, 5);
	read_all(w->memory, &found);
	tap_report(found.halves == 1 && found.lost == 5,
		   "records that did not fit after the last checkpoint are told");
	w->lost = 5;
	checkpoint(w);
	read_all(w->memory, &found);
	tap_report(found.halves == 2 && found.lost == 5, "and are told once after the next one");
	free(w);
}

/* Overwrite some bytes. Each record that is found must be one that was written, in order. */
static void test_damage(void)
{
	struct world *w = calloc(1, sizeof(*w));
	__u64 *copy = malloc(SIZE);
	unsigned int i, k, bad = 0, silent = 0, holes = 0, turns = rounds(4000);
	struct journal_found found;
	struct seen s;

	begin(w);
	checkpoint(w);
	for (i = 0; i < turns; i++) {
		for (k = rnd(8); k; k--)
			add(w);
		memcpy(copy, w->memory, SIZE);
		for (k = 1 + rnd(4); k; k--) {
			const size_t at = rnd(SIZE - 64);

			memset((__u8 *)copy + at, rnd(256), 1 + rnd(64));
		}
		s = read_all(copy, &found);
		bad += s.wrong;
		silent += s.jumped && !found.holes;
		holes += found.holes > 0;
	}
	tap_report(!bad, "damaged memory: no record that was not written");
	tap_report(!silent && holes > turns / 20, "damaged memory: each hole is told (%u)", holes);
	free(copy);
	free(w);
}

static void test_random(void)
{
	__u64 *memory = malloc(SIZE);
	unsigned int i, found_some = 0;
	struct journal_found found;
	size_t at;

	for (i = 0; i < 300; i++) {
		for (at = 0; at < SIZE / 8; at++)
			memory[at] = (__u64)rnd(~0U) << 32 | rnd(~0U);
		found_some += read_all(memory, &found).nr || found.halves;
	}
	tap_report(!found_some, "random memory has nothing");
	free(memory);
}

int main(int argc, char **argv)
{
	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	printf("# seed %llu\n", (unsigned long long)seed);
	test_crash_anywhere();
	test_crash_in_checkpoint();
	test_give_up();
	test_newer_checkpoint();
	test_lose();
	test_damage();
	test_random();
	return tap_end();
}
