// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/flight/snapshot_queue.c: triggers that come faster than snapshots are written. The
 * test has its own versions of the recorder's functions that the queue calls, and counts the calls.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest_harness.h"
#include "flight/flight.h"
#include "stream/snapshot_mark.h"
#include "wrap.h"

#define TOKEN	7

#define SECOND	NSEC_PER_SEC

static unsigned int nr_answers, nr_unfrozen;
static char answered[256];
static __u64 now;

__u64 __wrap_now_ns(void)
{
	return now;
}

void control_answer(struct control *c, __u64 token, const char *fmt, ...)
{
	va_list ap;

	nr_answers += !c && token == TOKEN;
	va_start(ap, fmt);
	vsnprintf(answered, sizeof(answered), fmt, ap);
	va_end(ap);
}

void flight_unfreeze(struct session *s, const struct trigger *t)
{
	nr_unfrozen += s && t;
}

FIXTURE(wish)
{
	struct session *s;
	struct flight *f;
	struct trigger socket, event;
};

FIXTURE_SETUP(wish)
{
	struct diag d;

	self->s = calloc(1, sizeof(*self->s));
	self->f = calloc(1, sizeof(*self->f));
	ASSERT_TRUE(self->s && self->f);
	self->f->end = &self->f->first;
	self->s->flight = self->f;
	memset(&self->socket, 0, sizeof(self->socket));
	memset(&self->event, 0, sizeof(self->event));
	ASSERT_EQ(trigger_parse(&self->socket, "socket=/x", &d), 0);
	ASSERT_EQ(trigger_parse(&self->event, "event=faults,count=1", &d), 0);
	nr_answers = 0;
	nr_unfrozen = 0;
	now = 1000 * SECOND;
}

FIXTURE_TEARDOWN(wish)
{
	flight_wishes_free(self->f->first);
	trigger_free(&self->socket);
	trigger_free(&self->event);
	free(self->f);
	free(self->s);
}

static unsigned int nr_waiting(const struct flight *f)
{
	const struct flight_wish *w;
	unsigned int nr = 0;

	for (w = f->first; w; w = w->next)
		nr++;
	return nr;
}

/* All triggers with the same name get one snapshot. */
TEST_F(wish, joined)
{
	int i;

	for (i = 0; i < 100000; i++)
		flight_wish(self->s, &self->socket, "one", i, i % 2 ? TOKEN : 0, NULL, 0);
	EXPECT_EQ(nr_waiting(self->f), 1);
	EXPECT_EQ(self->f->first->triggers, 100000);
	EXPECT_EQ(self->f->first->nr_tokens, 50000);
	EXPECT_EQ(self->f->first->time, 0);
	EXPECT_EQ(self->f->suppressed, 0);
	EXPECT_EQ(nr_answers, 0);
}

/* Let @ns pass. */
static void later(struct flight *f, __u64 ns)
{
	struct flight_wish *w;

	for (w = f->first; w; w = w->next) {
		w->came -= ns;
		w->due -= ns;
	}
}

/* Each trigger gets its post=, and a storm of triggers gets one snapshot in that time. */
TEST_F(wish, post)
{
	const __u64 post = 100 * NSEC_PER_SEC;
	__u64 due;

	self->event.post = post;
	self->event.count = 0;
	flight_wish(self->s, &self->event, NULL, 1, 0, NULL, 0);
	/*
	 * Triggers right after the first share its snapshot, which waits for the post= of the
	 * last one.
	 */
	later(self->f, post / 10);
	flight_wish(self->s, &self->event, NULL, 2, 0, NULL, 0);
	ASSERT_EQ(nr_waiting(self->f), 1);
	EXPECT_GE(self->f->first->due, now_ns() + post - NSEC_PER_SEC);
	/* Later triggers share another snapshot. */
	later(self->f, post / 2);
	due = self->f->first->due;
	flight_wish(self->s, &self->event, NULL, 3, 0, NULL, 0);
	ASSERT_EQ(nr_waiting(self->f), 2);
	later(self->f, post / 3);
	flight_wish(self->s, &self->event, NULL, 4, 0, NULL, 0);
	ASSERT_EQ(nr_waiting(self->f), 2);
	EXPECT_EQ(self->f->first->due, due - post / 3);
	EXPECT_EQ(self->f->first->triggers, 2);
	EXPECT_EQ(self->f->first->next->triggers, 2);
	EXPECT_GE(self->f->first->next->due, now_ns() + post - NSEC_PER_SEC);
	/* If count= allows no other snapshot, the trigger shares the last one. */
	self->event.count = self->event.taken;
	self->f->first->next->due = now_ns();
	self->f->first = self->f->first->next;
	later(self->f, post / 2);
	flight_wish(self->s, &self->event, NULL, 5, 0, NULL, 0);
	EXPECT_EQ(nr_waiting(self->f), 1);
	EXPECT_EQ(self->f->first->triggers, 3);
	EXPECT_EQ(self->f->suppressed, 0);
}

/* Requests with made-up names take bounded memory, and each of them gets its answer. */
TEST_F(wish, names)
{
	const unsigned int nr = 5000;
	unsigned int i, most;
	char name[16];

	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		flight_wish(self->s, &self->socket, name, i, TOKEN, NULL, 0);
	}
	most = nr_waiting(self->f);
	EXPECT_GE(most, 32);
	EXPECT_LE(most, 1024);
	EXPECT_EQ(nr_answers, nr - most);
	EXPECT_EQ(self->f->suppressed, nr - most);
	EXPECT_EQ(strncmp(answered, "error ", 6), 0);
	/* Other requests can still join those that wait, and other triggers still get snapshots. */
	flight_wish(self->s, &self->socket, "n3", 0, TOKEN, NULL, 0);
	EXPECT_EQ(nr_answers, nr - most);
	flight_wish(self->s, &self->event, NULL, 1, 0, NULL, 0);
	EXPECT_EQ(nr_waiting(self->f), most + 1);
	EXPECT_EQ(self->f->stats.failed, 0);
}

/* A snapshot has the bytes of each trigger, as long as a record has room for them. */
TEST_F(wish, bytes)
{
	static const __u8 large[40 << 10] = { 1 };
	const struct flight_wish *w;
	struct auxrec_snapshot_data head;
	const __u8 *at;
	size_t left;

	self->event.count = 0;
	flight_wish(self->s, &self->event, NULL, 1, 0, "abc", 3);
	flight_wish(self->s, &self->event, NULL, 2, 0, "", 0);
	flight_wish(self->s, &self->event, NULL, 3, 0, large, sizeof(large));
	flight_wish(self->s, &self->event, NULL, 4, 0, large, sizeof(large));
	flight_wish(self->s, &self->event, NULL, 5, 0, "abc", 3);
	w = self->f->first;
	ASSERT_EQ(w->triggers, 5);
	at = w->data;
	memcpy(&head, at, sizeof(head));
	EXPECT_EQ(head.size, 3);
	EXPECT_EQ(head.full_size, 3);
	EXPECT_EQ(memcmp(at + sizeof(head), "abc", 3), 0);
	at += sizeof(head) + 3;
	memcpy(&head, at, sizeof(head));
	EXPECT_EQ(head.size, 0);
	EXPECT_EQ(head.full_size, 0);
	at += sizeof(head);
	memcpy(&head, at, sizeof(head));
	EXPECT_EQ(head.size, sizeof(large));
	EXPECT_EQ(at[sizeof(head)], 1);
	at += sizeof(head) + sizeof(large);
	memcpy(&head, at, sizeof(head));
	left = w->data + w->data_size - at - sizeof(head);
	EXPECT_EQ(head.size, left);
	EXPECT_LT(head.size, sizeof(large));
	EXPECT_EQ(head.full_size, sizeof(large));
	EXPECT_EQ(w->data_size, 48 << 10);
}

/* A trigger that gets no snapshot does not keep the ring frozen. */
TEST_F(wish, used_up)
{
	flight_wish(self->s, &self->event, NULL, 1, 0, NULL, 0);
	self->f->writing = self->f->first;
	self->f->first = NULL;
	self->f->end = &self->f->first;
	flight_wish(self->s, &self->event, NULL, 2, TOKEN, NULL, 0);
	EXPECT_EQ(nr_waiting(self->f), 0);
	EXPECT_EQ(self->f->suppressed, 1);
	EXPECT_EQ(nr_unfrozen, 1);
	EXPECT_EQ(nr_answers, 1);
	flight_wishes_free(self->f->writing);
}

/* Triggers whose samples are lost are taken, joined and suppressed like the others. */
TEST_F(wish, lost)
{
	flight_wish_lost(self->s, &self->event, 5, 3);
	ASSERT_EQ(nr_waiting(self->f), 1);
	EXPECT_TRUE(self->f->first->lost);
	EXPECT_EQ(self->f->first->triggers, 3);
	EXPECT_EQ(self->f->first->time, 5);
	EXPECT_EQ(self->event.taken, 1);
	self->f->writing = self->f->first;
	self->f->first = NULL;
	self->f->end = &self->f->first;
	flight_wish_lost(self->s, &self->event, 6, 3);
	EXPECT_EQ(nr_waiting(self->f), 0);
	EXPECT_EQ(self->f->suppressed, 3);
	EXPECT_EQ(self->event.suppressed, 3);
	EXPECT_EQ(self->f->stats.wishes, 6);
	EXPECT_EQ(nr_unfrozen, 1);
	flight_wishes_free(self->f->writing);
}

/* --- with retention, snapshots are paced --- */

/*
 * Let the first snapshot begin and be written immediately. Return how many seconds it had to
 * wait.
 */
static __u64 write_one(struct flight *f)
{
	struct flight_wish *w = f->first;
	const __u64 wait = w->due > now ? w->due - now : 0;

	f->first = w->next;
	if (!f->first)
		f->end = &f->first;
	w->next = NULL;
	flight_wishes_free(w);
	now += wait;
	return wait / SECOND;
}

/*
 * Let @nr triggers come, each right after the snapshot of the one before it was written. Return
 * how many seconds the last one waited.
 */
static __u64 storm(struct session *s, struct trigger *t, unsigned int nr)
{
	__u64 wait = 0;

	while (nr--) {
		flight_wish(s, t, NULL, 1, 0, NULL, 0);
		wait = write_one(s->flight);
	}
	return wait;
}

TEST_F(wish, paced)
{
	int i;

	self->event.count = 0;
	self->f->keep.limits.nr = 8;
	EXPECT_EQ(storm(self->s, &self->event, 3), 0);
	EXPECT_EQ(nr_unfrozen, 0);
	/*
	 * All triggers that come meanwhile join the snapshot that waits, and the ring is not
	 * frozen for it.
	 */
	for (i = 0; i < 1000; i++)
		flight_wish(self->s, &self->event, NULL, i, 0, NULL, 0);
	ASSERT_EQ(nr_waiting(self->f), 1);
	EXPECT_TRUE(self->f->first->late);
	EXPECT_EQ(self->f->first->triggers, 1000);
	EXPECT_EQ(self->f->first->due, now + 10 * SECOND);
	EXPECT_EQ(nr_unfrozen, 1000);
	write_one(self->f);
	/*
	 * No trigger is suppressed, however many come: each gets a snapshot, one every ten
	 * seconds.
	 */
	for (i = 0; i < 100; i++)
		EXPECT_EQ(storm(self->s, &self->event, 1), 10);
	EXPECT_EQ(self->f->suppressed, 0);
	EXPECT_EQ(self->event.taken, 104);
}

/* A trigger that was silent can have its burst again, but never a larger one. */
TEST_F(wish, in_pace_again)
{
	self->event.count = 0;
	self->f->keep.limits.age = SECOND;
	EXPECT_EQ(storm(self->s, &self->event, 4), 10);
	now += 12 * SECOND;
	EXPECT_EQ(storm(self->s, &self->event, 1), 0);
	EXPECT_EQ(storm(self->s, &self->event, 1), 8);
	now += 20 * SECOND;
	EXPECT_EQ(storm(self->s, &self->event, 2), 0);
	EXPECT_EQ(storm(self->s, &self->event, 1), 10);
	now += 3600 * SECOND;
	EXPECT_EQ(storm(self->s, &self->event, 3), 0);
	EXPECT_EQ(storm(self->s, &self->event, 1), 10);
}

/* The pace does not delay a snapshot that waits long enough for its post=. */
TEST_F(wish, paced_post)
{
	unsigned int i;

	self->event.count = 0;
	self->event.post = 20 * SECOND;
	self->f->keep.limits.bytes = 1;
	for (i = 0; i < 6; i++) {
		flight_wish(self->s, &self->event, NULL, 1, 0, NULL, 0);
		EXPECT_EQ(self->f->first->due, now + (i < 5 ? 20 : 30) * SECOND);
		EXPECT_EQ(self->f->first->late, i == 5);
		self->f->first->due = now;
		write_one(self->f);
	}
	EXPECT_EQ(nr_unfrozen, 1);
}

/* Each trigger has a pace of its own. */
TEST_F(wish, paced_each)
{
	struct trigger other = self->event;

	self->event.count = 0;
	other.count = 0;
	self->f->keep.limits.nr = 1;
	EXPECT_EQ(storm(self->s, &self->event, 3), 0);
	EXPECT_EQ(storm(self->s, &other, 3), 0);
	EXPECT_EQ(storm(self->s, &self->event, 1), 10);
	EXPECT_EQ(storm(self->s, &other, 1), 0);
	EXPECT_EQ(storm(self->s, &other, 1), 10);
}

/*
 * There is no pace if no snapshot is removed, if a rate= was given, or for the socket: its
 * clients wait for the answer.
 */
TEST_F(wish, not_paced)
{
	self->event.count = 0;
	EXPECT_EQ(storm(self->s, &self->event, 100), 0);
	self->f->keep.limits.nr = 1;
	EXPECT_EQ(storm(self->s, &self->socket, 100), 0);
	self->event.rate_nr = 100;
	self->event.rate_time = SECOND;
	EXPECT_EQ(storm(self->s, &self->event, 100), 0);
	EXPECT_EQ(nr_unfrozen, 0);
}

/* A snapshot that is written can be the pressure, so pressure= has a pace without --keep, too. */
TEST_F(wish, paced_pressure)
{
	self->event.count = 0;
	self->event.kind = TRIGGER_PRESSURE;
	EXPECT_EQ(storm(self->s, &self->event, 3), 0);
	EXPECT_EQ(storm(self->s, &self->event, 1), 10);
	self->event.rate_nr = 100;
	self->event.rate_time = SECOND;
	EXPECT_EQ(storm(self->s, &self->event, 1), 0);
}

TEST_HARNESS_MAIN
