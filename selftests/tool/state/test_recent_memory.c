// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the memory of tool/history/recent.c: how much of it records use, which records go
 * when it is full, packed records, and memory that a child shares.
 */
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tap.h"
#include "history.h"
#include "history/recent.h"
#include "history/recent_log.h"
#include "stream/records.h"
#include "base/util.h"

struct sample {
	struct perf_event_header header;
	uint64_t id, ip, tid, time;
	uint64_t number;
	uint64_t data[64];
};

#define MEMORY		(8 << 20)
#define LENT		(2 << 20)
/* Memory of the test itself, and memory that malloc() uses beside what it returns */
#define OVERHEAD	(1 << 20)

/* Return the memory of two processes, with shared memory counted once; 0: not known. */
static size_t memory_of(const pid_t *pids)
{
	size_t sum = 0, kib;
	char line[256];
	int i;

	for (i = 0; i < 2 && pids[i]; i++) {
		FILE *f;

		snprintf(line, sizeof(line), "/proc/%d/smaps_rollup", pids[i]);
		f = fopen(line, "r");
		if (!f)
			return 0;
		while (fgets(line, sizeof(line), f))
			if (sscanf(line, "Pss_Anon: %zu", &kib) == 1)
				sum += kib << 10;
		fclose(f);
	}
	return sum;
}

static int fill(struct recent *r, uint64_t from, uint64_t to, bool samples)
{
	struct sample sample = { .header = { PERF_RECORD_SAMPLE, 0, 200 } };
	uint64_t time;
	int i, err = 0;

	for (time = from; !err && time < to; time++) {
		history_map(1 + time % 8, 1 + time % 8);
		err = recent_add(r, history_done(time), time);
		sample.time = time;
		/* The sample has about as much new data as one with a call chain. */
		for (i = 0; i < 8; i++)
			sample.data[i] = 0xffffffff81000000 + history_rnd(1 << 24);
		if (!err && samples)
			err = recent_add(r, &sample.header, time);
		if (!err && !(time % 64))
			err = recent_trim(r, time, time, ~0ULL);
	}
	return err;
}

static int add_up(void *ctx, const struct perf_event_header *rec)
{
	const uint64_t *words = (const void *)rec;
	uint64_t *whole = ctx, sum = 0;
	size_t i;

	for (i = 3; i < rec->size / sizeof(*words); i++)
		sum += words[i];
	*whole += words[2] == sum;
	return 0;
}

struct times {
	uint64_t nr;
	uint64_t oldest, newest;
};

static int note_time(void *ctx, const struct perf_event_header *rec)
{
	const struct sample *sample = (const void *)rec;
	struct times *times = ctx;

	if (!times->nr++ || sample->time < times->oldest)
		times->oldest = sample->time;
	if (sample->time > times->newest)
		times->newest = sample->time;
	return 0;
}

/* After fill(), is there one sample of each time from @begin to before @end? */
static bool has_all(struct recent *r, uint64_t begin, uint64_t end)
{
	struct times times = { .nr = 0 };
	const int err = recent_emit_samples(r, note_time, &times);
	const bool all = !err && times.oldest == begin && times.newest == end - 1 &&
			 times.nr == end - begin;

	if (!all)
		printf("# %llu samples of %llu to %llu, not all of %llu to %llu\n",
		       (unsigned long long)times.nr, (unsigned long long)times.oldest,
		       (unsigned long long)times.newest, (unsigned long long)begin,
		       (unsigned long long)end - 1);
	return all;
}

/* A packed block in which the window begins stays. */
static void try_packed_window(void)
{
	const struct recent_limits limits = {
		.memory = LENT, .window = 5000, .block = 64 << 10,
	};
	struct recent *r = recent_new(&limits);
	const uint64_t end = 20000;
	struct recent_stats stats;
	int err;

	err = fill(r, 1, end, true) ?: recent_trim(r, end, end, ~0ULL);
	recent_stats(r, &stats);
	tap_report(!err && stats.begin == end - limits.window && has_all(r, stats.begin, end),
		   "a window that begins in a packed block: from %llu on",
		   (unsigned long long)stats.begin);
	recent_free(r);
}

/* All of the memory can be used for the kind of records that needs it. */
static uint64_t try_lent(bool samples, size_t block)
{
	const struct recent_limits limits = { .memory = LENT, .block = block };
	struct recent *r = recent_new(&limits);
	struct recent_stats stats;
	const uint64_t end = 400000;
	const int err = fill(r, 1, end, samples);
	size_t part;

	recent_stats(r, &stats);
	part = samples ? stats.of_samples : stats.of_sideband;
	tap_report(!err && stats.begin && stats.bytes <= LENT + 2 * 65536 &&
		   stats.bytes > LENT / 10 * 9 && part > LENT / 10 * (samples ? 4 : 9) &&
		   (!samples || has_all(r, stats.begin, end)),
		   "%s%s: %zu of %d bytes are used, %zu of them for these",
		   samples ? "samples and sideband" : "sideband alone", block ? ", packed" : "",
		   stats.bytes, LENT, part);
	recent_free(r);
	return end - stats.begin;
}

/* The same memory contains a longer history if it is packed. */
static void try_packed(bool samples)
{
	const uint64_t plain = try_lent(samples, 0), packed = try_lent(samples, 64 << 10);

	tap_report(packed > (samples ? 2 : 5) * plain, "%s: %llu records packed, %llu as they are",
		   samples ? "samples and sideband" : "sideband alone",
		   (unsigned long long)packed, (unsigned long long)plain);
}

/* A record that is larger than a block, and one that does not become smaller */
static void try_odd_sizes(void)
{
	static union {
		struct perf_event_header header;
		uint64_t words[8191];
	} large = { .header = { PERF_RECORD_SAMPLE, 0, sizeof(large) } };
	const struct recent_limits limits = { .memory = MEMORY, .block = 4096 };
	struct recent *r = recent_new(&limits);
	struct recent_stats stats;
	uint64_t time, sum = 0;
	size_t i;
	int err = 0;

	for (time = 1; !err && time < 300; time++) {
		for (i = 1; i < ARRAY_LEN(large.words); i++)
			large.words[i] = time & 1 ? time : random() ^ (uint64_t)random() << 33;
		large.words[1] = time;
		large.words[2] = 0;
		for (i = 3; i < ARRAY_LEN(large.words); i++)
			large.words[2] += large.words[i];
		err = recent_add(r, &large.header, time) ?: recent_trim(r, time, time, ~0ULL);
	}
	recent_stats(r, &stats);
	err = err ?: recent_emit_samples(r, add_up, &sum);
	/* Packing reduces every second sample to a few bytes. */
	tap_report(!err && stats.samples > MEMORY / sizeof(large) * 3 / 2 && sum == stats.samples,
		   "large samples: %llu of %llu are whole", (unsigned long long)sum,
		   (unsigned long long)stats.samples);
	recent_free(r);
}

/* Compare recent_packing() with the memory that malloc() has handed out. */
static void try_packing(void)
{
	const size_t block = 64 << 10;
	const struct recent_limits limits = { .memory = MEMORY, .block = block };
	struct recent *r = recent_new(&limits);
	struct recent_stats stats;
	size_t before, used;
	int err;

	before = mallinfo2().uordblks + mallinfo2().hblkhd;
	err = fill(r, 1, 100000, true);
	recent_stats(r, &stats);
	used = mallinfo2().uordblks + mallinfo2().hblkhd - before - stats.of_state;
	tap_report(!err && used <= recent_packing(block) / 2,
		   "packing takes %zu bytes, of which are told %zu", used,
		   recent_packing(block) / 2);
	recent_free(r);
}

/*
 * While a child shares the records, this process adds as many new records as have room. @cut: the
 * child folds all records, otherwise none.
 */
static void try_share(bool cut, size_t block)
{
	const struct recent_limits limits = { .memory = MEMORY, .block = block };
	struct recent *r = recent_new(&limits);
	const uint64_t end = block ? 250000 : 100000, begin = cut ? end - 1 : 0;
	const size_t limit = MEMORY + OVERHEAD + (block ? recent_packing(block) : 0);
	pid_t pids[2] = { getpid(), 0 };
	struct recent_stats full, now;
	int done[2], err = 0;
	size_t most, own;
	char c = 0;

	own = memory_of(pids);
	err = fill(r, 1, end, true) ?: pipe(done);
	recent_stats(r, &full);
	err = err ?: recent_share(r, begin, end, ~0ULL);
	recent_stats(r, &now);
	fflush(stdout);
	pids[1] = err ? 0 : fork();
	if (!pids[1]) {
		c = recent_cut(r, begin, end) != 0;
		if (write(done[1], &c, 1) == 1)
			pause();
		_exit(1);
	}
	err = read(done[0], &c, 1) != 1 || c || fill(r, end, 2 * end, true);
	most = memory_of(pids) - own;
	kill(pids[1], SIGKILL);
	waitpid(pids[1], NULL, 0);
	recent_unshare(r);
	err = err ?: fill(r, 2 * end, 3 * end, true);
	tap_report(!err && (!own || most <= limit) &&
		   (cut || now.bytes > MEMORY / 10 * 7),
		   "a child%s%s: %zu of %d bytes with it, %zu before, %zu are in the snapshot",
		   cut ? " that folds all" : "", block ? ", packed" : "", most, MEMORY,
		   full.bytes, now.bytes);
	recent_free(r);
}

/* If a page that a child shares has room left, the next record causes a copy of the page. */
static void try_log_share(void)
{
	const size_t page = 4096;
	struct recent_log log;
	size_t begun, same, next;

	recent_log_init(&log, 16 * page);
	recent_log_add(&log, 2 * page + 8);
	recent_log_share(&log);
	begun = log.fresh;
	recent_log_add(&log, 8);
	same = log.fresh;
	recent_log_add(&log, page);
	next = log.fresh;
	recent_log_drop(&log, log.oldest);
	recent_log_drop(&log, log.oldest);
	recent_log_drop(&log, log.oldest);
	tap_report(begun == page && same == page && next == 2 * page && !log.fresh,
		   "pages that are there twice: %zu, %zu and %zu bytes, %zu when all is gone",
		   begun, same, next, log.fresh);
	recent_log_free(&log);
}

int main(void)
{
	try_log_share();
	try_packed(false);
	try_packed(true);
	try_packed_window();
	try_odd_sizes();
	try_packing();
	try_share(false, 0);
	try_share(true, 0);
	try_share(false, 64 << 10);
	try_share(true, 64 << 10);
	return tap_end();
}
