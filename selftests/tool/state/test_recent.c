// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/history/recent.c with random histories of sideband and samples. The test reads
 * several CPUs one after the other, and checks that
 *
 * - the emitted state and sideband tell the same as all records,
 * - the samples are the newest, each of them once,
 * - the memory stays within the limit.
 *
 * test_recent [SEED]
 */
#include <stdlib.h>
#include <string.h>

#include "../../rounds.h"
#include "../../tap.h"
#include "history.h"
#include "history/recent.h"
#include "stream/records.h"
#include "base/util.h"

#define RECORDS		3000
#define BATCH		32	/* units of time whose records are read together */
#define CPUS		4
#define BLOCK		2048

struct history {
	struct recent_limits limits;
	bool late;		/* one CPU is read a batch later */
	struct recent *recent;
	struct model all;
	uint64_t nr_samples;	/* all samples so far */
	uint64_t sample_time[RECORDS + BATCH + 1];	/* by number, from 1 */
	const char *wrong;
	/* while records are emitted: */
	struct model told;
	uint64_t seen;
	uint64_t newest;	/* number of the newest emitted sample */
	uint64_t oldest;
	uint64_t time;		/* of the last sideband record */
	uint64_t since;		/* no sideband outside the state is older */
	uint64_t begin;		/* no sample is older, and all later samples are there */
	bool state;		/* the state is being emitted */
	bool samples;		/* a sample has been emitted */
};

struct sample {
	struct perf_event_header header;
	uint64_t id, ip, tid, time;
	uint64_t number;
	uint64_t data[64];
};

/* A batch is read CPU by CPU. Its records are in order of time only within each CPU. */
struct arrived {
	union record rec;
	struct sample sample;
	uint64_t time;
	uint32_t cpu;
	bool is_sample;
};

static void make(struct history *h, struct arrived *a, uint64_t time)
{
	*a = (struct arrived){ .time = time, .cpu = history_rnd(CPUS) };
	a->is_sample = history_rnd(3);
	if (a->is_sample) {
		a->sample.header.type = PERF_RECORD_SAMPLE;
		a->sample.header.size = sizeof(a->sample) - 8 * history_rnd(64);
		a->sample.time = time;
		a->sample.number = ++h->nr_samples;
		h->sample_time[h->nr_samples] = time;
	} else {
		const struct perf_event_header *rec;

		history_something(&h->all);
		rec = history_done(time);
		memcpy(&a->rec, rec, rec->size);
		history_learn(&h->all, rec);
	}
}

static void add_cpu(struct history *h, const struct arrived *batch, uint32_t cpu)
{
	int i;

	for (i = 0; i < BATCH; i++)
		if (batch[i].time && batch[i].cpu == cpu &&
		    recent_add(h->recent, batch[i].is_sample ?
			       &batch[i].sample.header : &batch[i].rec.header,
			       batch[i].time))
			h->wrong = "no memory";
}

/* The batch before. If the last CPU is read late, its records in this batch are read next. */
static struct arrived held[BATCH];

static void add_batch(struct history *h, uint64_t first)
{
	static struct arrived batch[BATCH];
	uint32_t cpu;
	int i;

	for (i = 0; i < BATCH; i++)
		make(h, &batch[i], first + i);
	for (cpu = 0; cpu < (uint32_t)CPUS - h->late; cpu++)
		add_cpu(h, batch, cpu);
	if (h->late) {
		add_cpu(h, held, CPUS - 1);
		memcpy(held, batch, sizeof(held));
	}
}

static int tell(void *ctx, const struct perf_event_header *rec)
{
	const struct sample *sample = (const void *)rec;
	const struct rec_sample_id *id = (const void *)((const uint8_t *)rec +
							rec->size - sizeof(*id));
	struct history *h = ctx;

	if (rec->type != PERF_RECORD_SAMPLE) {
		if (h->samples || id->time < h->time)
			h->wrong = "sideband is not in order";
		/*
		 * 5 is the id of history_done(). A record of the state has no id, because the
		 * event may be gone by then.
		 */
		if (id->id != (h->state ? 0 : 5))
			h->wrong = "an id that is not known, or lost";
		if (!h->state && id->time < h->since)
			h->wrong = "older sideband than there should be";
		h->time = id->time;
		history_learn(&h->told, rec);
		return 0;
	}
	if (sample->time < h->begin)
		h->wrong = "an older sample than there should be";
	h->samples = true;
	h->seen++;
	if (sample->number > h->newest)
		h->newest = sample->number;
	if (!h->oldest || sample->number < h->oldest)
		h->oldest = sample->number;
	return 0;
}

/* Return how many of the samples so far have a time of @begin or later. */
static uint64_t samples_since(const struct history *h, uint64_t begin)
{
	uint64_t n = 0, i;

	for (i = 1; i <= h->nr_samples; i++)
		n += h->sample_time[i] >= begin;
	return n;
}

static bool names_are_known(const struct history *h)
{
	uint32_t tid;

	for (tid = 0; tid < PIDS; tid++) {
		const struct task *t = &h->all.task[tid];
		const char *name = recent_name(h->recent, 1000 + t->pid, 1000 + tid);

		if (t->lives && *t->comm && (!name || strcmp(name, t->comm)))
			return false;
	}
	return true;
}

static void check(struct history *h, uint64_t now)
{
	struct recent_stats stats;

	memset(&h->told, 0, sizeof(h->told));
	h->seen = 0;
	h->newest = 0;
	h->oldest = 0;
	h->time = 0;
	h->samples = false;
	recent_stats(h->recent, &stats);
	h->since = stats.oldest;
	h->begin = stats.begin;
	h->state = true;
	if (recent_emit_state(h->recent, tell, h))
		h->wrong = "emit";
	h->state = false;
	if (recent_emit_sideband(h->recent, tell, h) ||
	    recent_emit_samples(h->recent, tell, h))
		h->wrong = "emit";
	else if (h->wrong)
		return;
	else if (!history_same(&h->all, &h->told))
		h->wrong = "somebody who was told all knows something else";
	else if (!names_are_known(h))
		h->wrong = "a task's name";
	else if (stats.samples + stats.forgotten != h->nr_samples)
		h->wrong = "samples do not add up";
	else if (h->seen != samples_since(h, stats.begin))
		h->wrong = "samples are not all that came since they begin";
	else if (h->limits.window && stats.begin &&
		 stats.begin + h->limits.window + 2 * BATCH < now &&
		 stats.sideband && !stats.forgotten)
		h->wrong = "records are older than the window";
	else if (stats.bytes > h->limits.memory + BATCH * sizeof(union record) + 2 * PAGE)
		h->wrong = "too much memory";
}

static void live(struct history *h)
{
	uint64_t time;

	memset(held, 0, sizeof(held));
	h->recent = recent_new(&h->limits);
	for (time = 1; time < RECORDS && !h->wrong; time += BATCH) {
		const uint64_t next = time + BATCH;
		const uint64_t wanted = history_rnd(2) || time < 300 ? ~0ULL : time - 300;

		add_batch(h, time);
		if (recent_trim(h->recent, next, h->late ? time : next, wanted))
			h->wrong = "no memory";
		if (!h->wrong && !h->late)
			check(h, next);
	}
	if (h->late) {
		add_cpu(h, held, CPUS - 1);
		if (recent_trim(h->recent, time, time, ~0ULL))
			h->wrong = "no memory";
		if (!h->wrong)
			check(h, time);
	}
	recent_free(h->recent);
}

static void try(const char *what, const struct recent_limits *limits, bool late, bool packed,
		uint64_t first)
{
	struct history *h = NULL;
	const char *wrong = NULL;
	int i;

	for (i = 0; i < (int)rounds(60) && !wrong; i++) {
		free(h);
		h = calloc(1, sizeof(*h));
		if (!h)
			abort();
		h->limits = *limits;
		h->limits.names = true;
		h->limits.block = packed ? BLOCK : 0;
		h->late = late;
		history_seed = first + i;
		live(h);
		wrong = h->wrong;
	}
	if (wrong)
		printf("# SEED=%llu: %s\n", (unsigned long long)first + i - 1, wrong);
	tap_report(!wrong, "%s%s%s", what, packed ? ", packed" : "",
		   late ? ", one CPU is late" : "");
	free(h);
}

/* A recording that is younger than its window has all records from the start. */
static void try_young(void)
{
	const struct recent_limits limits = { .memory = 8192, .window = 200 };
	struct sample sample = { .header = { PERF_RECORD_SAMPLE, 0, sizeof(sample) } };
	struct recent *r = recent_new(&limits);
	struct recent_stats young, old;
	bool fine;

	fine = !recent_add(r, &sample.header, 1000) && !recent_trim(r, 1150, 1150, ~0ULL);
	/* There are no records from before the start that recent_cut() would have to drop. */
	fine = fine && !recent_cut(r, 900, 1150);
	recent_stats(r, &young);
	fine = fine && !recent_trim(r, 1300, 1300, ~0ULL);
	recent_stats(r, &old);
	fine = fine && !young.begin && young.samples == 1 && old.begin == 1100 &&
	       !old.samples;
	if (!fine)
		printf("# begins %llu, %llu\n", young.begin, old.begin);
	tap_report(fine, "younger than the window");
	recent_free(r);
}

static int last_name(void *ctx, const struct perf_event_header *rec)
{
	if (rec->type == PERF_RECORD_COMM)
		memcpy(ctx, (const uint8_t *)rec + 16, 16);
	return 0;
}

/* If two records have the same time, the one that came later is valid. */
static void try_same_time(void)
{
	const struct recent_limits limits = { .memory = 8 << 20 };
	struct recent *r = recent_new(&limits);
	char first[16], second[16], last[16] = "";
	const struct perf_event_header *rec;
	int err;

	/* The first record, which is newer, is of another CPU. */
	history_name(PERF_RECORD_COMM, 0, 2, 2);
	err = recent_add(r, history_done(300), 300);
	history_name(PERF_RECORD_COMM, 0, 1, 1);
	rec = history_done(200);
	memcpy(first, (const uint8_t *)rec + 16, 16);
	err = err ?: recent_add(r, rec, 200);
	history_name(PERF_RECORD_COMM, 0, 1, 1);
	rec = history_done(200);
	memcpy(second, (const uint8_t *)rec + 16, 16);
	err = err ?: recent_add(r, rec, 200);
	err = err ?: recent_trim(r, 400, 250, ~0ULL) ?: recent_cut(r, 250, 250) ?:
	      recent_emit_state(r, last_name, last);
	tap_report(!err && strcmp(first, second) && !strcmp(last, second),
		   "two names of one time: %.15s, then %.15s, known is %.15s", first, second,
		   last);
	recent_free(r);
}

static int count_forks(void *ctx, const struct perf_event_header *rec)
{
	size_t *nr = ctx;

	*nr += rec->type == PERF_RECORD_FORK;
	return 0;
}

/* A task is still known for a while after its EXIT, because it may have samples. */
static void try_linger(void)
{
	const struct recent_limits limits = { .memory = 4 << 20, .window = 100, .linger = 50 };
	struct recent *r = recent_new(&limits);
	size_t soon = 0, later = 0;
	int err;

	history_ids(PERF_RECORD_FORK, 0, 1, 0, 1, 0);
	err = recent_add(r, history_done(1000), 1000);
	history_name(PERF_RECORD_COMM, 0, 1, 1);
	err = err ?: recent_add(r, history_done(1000), 1000);
	history_ids(PERF_RECORD_EXIT, 0, 1, 0, 1, 0);
	err = err ?: recent_add(r, history_done(1010), 1010);
	err = err ?: recent_trim(r, 1140, 1140, ~0ULL) ?: recent_emit_state(r, count_forks, &soon);
	err = err ?: recent_trim(r, 1170, 1170, ~0ULL) ?: recent_emit_state(r, count_forks, &later);
	tap_report(!err && soon == 1 && !later,
		   "a task is known after its EXIT, for a while: %zu, %zu", soon, later);
	recent_free(r);
}

/* A task's name is found for a while after its EXIT. Later, another task may have its tid. */
static void try_name_goes(void)
{
	const struct recent_limits limits = { .memory = 4 << 20, .linger = 50, .names = true };
	struct recent *r = recent_new(&limits);
	const char *soon, *later;
	int err;

	history_name(PERF_RECORD_COMM, 0, 1, 1);
	err = recent_add(r, history_done(1000), 1000);
	history_ids(PERF_RECORD_EXIT, 0, 1, 0, 1, 0);
	err = err ?: recent_add(r, history_done(1010), 1010) ?: recent_trim(r, 1060, 1060, ~0ULL);
	soon = recent_name(r, 1001, 1001);
	err = err ?: recent_trim(r, 1061, 1061, ~0ULL);
	later = recent_name(r, 1001, 1001);
	tap_report(!err && soon && !later, "a name is known after the task's EXIT, for a while");
	recent_free(r);
}

/* --- EXITs that were lost ---------------------------------------------------- */

#define ALIVE	200		/* the newest tasks, which live; the first one lives too */
#define TASKS	5000
#define ROUND	50		/* tasks that are added between two calls of recent_shrink() */

static uint32_t newest_task;

static bool lives(void *ctx, uint32_t pid, uint32_t tid)
{
	const uint32_t *first = ctx;

	return pid == *first || tid + ALIVE > newest_task;
}

static bool nothing_known(void *ctx, uint32_t pid)
{
	(void)ctx;
	(void)pid;
	return false;
}

/* Every second task has only a name and maps, but no FORK. */
static int add_task(struct recent *r, uint32_t i, uint64_t time)
{
	if (i & 1)
		history_ids(PERF_RECORD_FORK, 0, i, 0, i, 0);
	else
		history_map(i, i);
	if (recent_add(r, history_done(time), time))
		return -1;
	history_name(PERF_RECORD_COMM, 0, i, i);
	memcpy(&newest_task, (const uint8_t *)history_done(time) + 8, sizeof(newest_task));
	return recent_add(r, history_done(time), time);
}

static void try_lost_exits(void)
{
	const struct recent_limits limits = { .memory = 100000 };
	struct recent *r = recent_new(&limits);
	size_t bytes = 0, tasks = 0;
	struct recent_stats stats;
	uint32_t first, i;
	int err = 0;

	add_task(r, 1, 1);
	first = newest_task;
	for (i = 2; !err && i < TASKS; i++) {
		const struct state_ask ask = {
			.lives = lives, .begin = nothing_known, .ctx = &first,
		};

		err = add_task(r, i, i) ?: recent_trim(r, i, i, ~0ULL);
		if (i % ROUND)
			continue;
		recent_shrink(r, &ask);
		recent_stats(r, &stats);
		if (stats.bytes > bytes)
			bytes = stats.bytes;
	}
	err = err ?: recent_emit_state(r, count_forks, &tasks) ?:
	      recent_emit_sideband(r, count_forks, &tasks);
	/* The state has the living tasks, and those that were added since the last two looks. */
	tap_report(!err && bytes < 2 * limits.memory && tasks >= ALIVE,
		   "lost EXITs of %d tasks: %zu bytes, %zu tasks", TASKS, bytes, tasks);
	recent_free(r);
}

/* --- cgroups that were removed ------------------------------------------------ */

#define CGROUPS		100000
#define THERE		300	/* the newest cgroups, which exist; the first one exists too */
#define LOOK		500	/* after this many cgroups the records are emitted and checked */

struct cgroups {
	uint64_t newest;
	bool told[CGROUPS];
	uint64_t untold;	/* samples whose cgroup has no record */
	uint64_t samples;
	uint64_t nr;		/* cgroups with a record */
	size_t most;		/* the most cgroups that were kept */
};

static bool is_there(void *ctx, __u64 id, const char *path)
{
	const struct cgroups *c = ctx;

	return (!id || id + THERE > c->newest) && (uint64_t)atoi(path + 1) == id;
}

/* The number of a sample is its cgroup. */
static int tell_cgroup(void *ctx, const struct perf_event_header *rec)
{
	const struct sample *sample = (const void *)rec;
	struct cgroups *c = ctx;

	if (rec->type == PERF_RECORD_CGROUP) {
		c->told[sample->id] = true;
		c->nr++;
	} else {
		c->samples++;
		c->untold += !c->told[sample->number];
	}
	return 0;
}

static int add_cgroup(struct recent *r, uint64_t i)
{
	const uint64_t of = i > THERE ? i - history_rnd(THERE) : history_rnd(i + 1);
	const uint64_t time = 1000 + i;
	const struct sample sample = {
		.header = { PERF_RECORD_SAMPLE, 0, 48 }, .time = time, .number = of,
	};
	char path[24];

	snprintf(path, sizeof(path), "/%d", (int)i);
	history_cgroup(i, path);
	return recent_add(r, history_done(time), time) ?:
	       recent_add(r, &sample.header, time);
}

/* @look: it is known which cgroups exist. */
static void try_cgroups(bool look)
{
	const struct recent_limits limits = { .memory = 8 << 20, .window = 1500, .linger = 100 };
	static struct cgroups c;
	const struct state_ask ask = { .cgroup = is_there, .ctx = &c };
	struct recent *r = recent_new(&limits);
	struct recent_stats stats;
	uint64_t nr = 0;
	int err = 0;

	memset(&c, 0, sizeof(c));
	for (c.newest = 0; !err && c.newest < CGROUPS; c.newest++) {
		const uint64_t now = 1000 + c.newest;

		err = add_cgroup(r, c.newest) ?: recent_trim(r, now, now, ~0ULL);
		if (recent_wants_cgroups(r))
			recent_look_for_cgroups(r, look ? &ask : NULL, now);
		recent_stats(r, &stats);
		if (stats.cgroups > c.most)
			c.most = stats.cgroups;
		if (err || c.newest % LOOK)
			continue;
		memset(c.told, 0, sizeof(c.told));
		c.nr = 0;
		err = recent_emit_state(r, tell_cgroup, &c) ?:
		      recent_emit_sideband(r, tell_cgroup, &c) ?:
		      recent_emit_samples(r, tell_cgroup, &c);
		if (c.nr > nr)
			nr = c.nr;
	}
	/* The cgroups of the window's sideband existed when the sideband came. */
	if (look)
		tap_report(!err && c.most < 2 * (limits.window + THERE) && c.told[0] &&
			   !c.untold && c.samples > 10000,
			   "of %d cgroups %d are there: %zu known at most, %d told; %d samples of %d have none",
			   CGROUPS, THERE, c.most, (int)nr, (int)c.untold, (int)c.samples);
	else
		tap_report(!err && c.most <= 4097 && !c.untold,
			   "and nobody can tell which: %zu at most, %d samples have none",
			   c.most, (int)c.untold);
	recent_free(r);
}

/*
 * A sample that is larger than the whole memory is dropped, so the samples of its time are
 * incomplete.
 */
static void try_too_large(void)
{
	const struct recent_limits limits = { .memory = sizeof(struct sample) / 2 };
	struct sample large = {
		.header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(large) },
	};
	struct recent *r = recent_new(&limits);
	struct recent_stats stats = { .begin = 0 };

	if (r && !recent_add(r, &large.header, 5))
		recent_stats(r, &stats);
	tap_report(stats.begin == 6 && stats.too_large == 1 && stats.forgotten == 1,
		   "a sample that is too large: complete from %llu on", stats.begin);
	recent_free(r);
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	const struct recent_limits all = { .memory = 8 << 20 };
	const struct recent_limits some = { .memory = 200000 };
	const struct recent_limits window = { .memory = 8 << 20, .window = 200 };
	const struct recent_limits little = { .memory = 40000, .window = 50 };
	const struct recent_limits both = { .memory = 150000, .window = 600 };

	int i;

	for (i = 0; i < 2; i++) {
		try("room for all", &all, i, false, first);
		try("room for some", &some, i, false, first);
		try("a window", &window, i, false, first);
		try("little of all", &little, i, false, first);
		try("room for some", &some, i, true, first);
		try("a window and little memory", &both, i, true, first);
	}
	try_too_large();
	try_young();
	try_same_time();
	try_linger();
	try_name_goes();
	try_lost_exits();
	try_cgroups(true);
	try_cgroups(false);
	return tap_end();
}
