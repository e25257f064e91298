// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/history/state.c with random lives of tasks. A reader of the records that
 * state_emit() emits must know the same as a reader of all records.
 *
 * test_state [SEED]
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../tap.h"
#include "history.h"
#include "stream/records.h"
#include "history/state.h"

#define OPS	400

static int learn_emitted(void *ctx, const struct perf_event_header *h)
{
	const struct rec_sample_id *id = (const void *)((const uint8_t *)h + h->size -
							sizeof(*id));

	/* The event of the original record may be gone, so emitted records have no event's id. */
	if (id->time != 77 || id->id)
		return -1;
	history_learn(ctx, h);
	return 0;
}

static size_t bytes_of(const struct state *st)
{
	struct state_stats stats;

	state_stats(st, &stats);
	return stats.bytes;
}

/* A cgroup exists as long as the model knows it. */
static bool is_there(void *ctx, __u64 id, const char *path)
{
	const struct model *all = ctx;

	return all->cgroup[id] == (uint32_t)atoi(path);
}

/* Remove a cgroup. No record tells this, so the state must look for it. */
static void remove_cgroup(struct state *st, struct model *all)
{
	const struct state_ask ask = { .cgroup = is_there, .ctx = all };

	all->cgroup[history_rnd(THINGS)] = 0;
	while (!state_look_for_cgroups(st, &ask, 3, 5))
		;
	state_forget_cgroups(st, 5);
	if (history_rnd(2))
		state_forget_cgroups(st, 6);
}

/* Return the number of the first record after which the two readers know different things, or 0. */
static int live(void)
{
	struct state *st = state_new();
	static struct model all, emitted;
	const struct perf_event_header *rec;
	int n, wrong = 0;

	memset(&all, 0, sizeof(all));
	for (n = 1; n <= OPS && !wrong; n++) {
		history_something(&all);
		rec = history_done(n);
		history_learn(&all, rec);
		if (state_fold(st, rec))
			wrong = n;
		state_end_exited(st, ~0ULL);
		memset(&emitted, 0, sizeof(emitted));
		if (n % 20 == 0)
			remove_cgroup(st, &all);
		state_forget_cgroups(st, 6);
		if (n % 7 == 0 &&
		    (state_emit(st, 77, learn_emitted, &emitted) || !history_same(&all, &emitted)))
			wrong = n;
	}
	state_free(st);
	return wrong;
}

/* @by_thread: a thread calls exec(). It gets the first thread's id, and its own id has no EXIT. */
static void live_shortly(struct state *st, uint32_t pid, bool by_thread)
{
	const uint32_t tid = 1 + pid % (PIDS - 1);

	history_ids(PERF_RECORD_FORK, 0, pid, 0, pid, 0);
	state_fold(st, history_done(2));
	if (by_thread) {
		history_ids(PERF_RECORD_FORK, 0, pid, pid, tid, pid);
		state_fold(st, history_done(2));
		history_name(PERF_RECORD_COMM, 0, pid, tid);
		state_fold(st, history_done(2));
		history_ids(PERF_RECORD_EXIT, 0, pid, pid, pid, pid);
		state_fold(st, history_done(2));
	}
	history_name(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, pid, pid);
	state_fold(st, history_done(2));
	history_map(pid, pid);
	state_fold(st, history_done(2));
}

/*
 * In a PID namespace, all tasks outside it have the id 0, so each of them is its own parent. With
 * pid != tid this is impossible, and such a record must do no harm.
 */
static void own_parent(void)
{
	struct state *st = state_new();
	static struct model before, after;
	size_t bytes;
	int i, err = 0;

	memset(&before, 0, sizeof(before));
	memset(&after, 0, sizeof(after));
	history_ids(PERF_RECORD_FORK, REC_MISC_FORK_EXEC, 0, -1, 0, -1);
	err |= state_fold(st, history_done(1));
	history_ids(PERF_RECORD_FORK, 0, 0, 0, 1, 0);
	err |= state_fold(st, history_done(1));
	for (i = 0; i < 2; i++) {
		history_name(PERF_RECORD_COMM, 0, 0, i);
		err |= state_fold(st, history_done(1));
	}
	history_map(0, 0);
	err |= state_fold(st, history_done(1));
	err |= state_emit(st, 77, learn_emitted, &before);
	bytes = bytes_of(st);
	for (i = 0; i < 6; i++) {
		history_ids(PERF_RECORD_FORK, 0, 0, 0, i % 2, i % 2);
		err |= state_fold(st, history_done(1));
	}
	err |= state_emit(st, 77, learn_emitted, &after);
	tap_report(!err && bytes_of(st) == bytes && history_same(&before, &after),
		   "tasks that are their own parents stay what they are");
	state_free(st);
}

/* Run @processes short processes. They must leave nothing in the state. */
static void churn(unsigned int processes, bool by_thread)
{
	struct state *st = state_new();
	struct state_stats stats;
	size_t before, most = 0;
	unsigned int i;

	history_ids(PERF_RECORD_FORK, REC_MISC_FORK_EXEC, 0, -1, 0, -1);
	state_fold(st, history_done(1));
	for (i = 0; i < 20; i++) {
		history_map(0, 0);
		state_fold(st, history_done(1));
	}
	before = bytes_of(st);
	for (i = 0; i < processes; i++) {
		const uint32_t pid = 1 + i % (PIDS - 1);

		live_shortly(st, pid, by_thread);
		if (bytes_of(st) > most)
			most = bytes_of(st);
		history_ids(PERF_RECORD_EXIT, 0, pid, 0, pid, 0);
		state_fold(st, history_done(2));
		/* Skip some calls, so that an id is used again before state_end_exited(). */
		if (i % 3)
			state_end_exited(st, 3);
	}
	state_end_exited(st, 3);
	state_stats(st, &stats);
	tap_report(stats.bytes == before && stats.processes == 1 && stats.threads == 1 &&
		   most < before + 2000, "%u short processes%s: %zu bytes before, %zu after",
		   processes, by_thread ? " that a thread of theirs executes" : "", before,
		   stats.bytes);
	state_free(st);
}

#define FIRST		(KERNEL + 1)
#define AT_A_TIME	1000

/*
 * Run @processes processes, of which AT_A_TIME live at the same time. They use @sets different sets
 * of namespaces; 0: there are no records of namespaces. Return the most memory that the state had,
 * and in @left the memory that it has at the end.
 */
static size_t most_bytes(unsigned int processes, unsigned int sets, size_t *left)
{
	struct state *st = state_new();
	size_t most = 0;
	unsigned int i;

	for (i = 0; i < processes + AT_A_TIME; i++) {
		const unsigned int pid = FIRST + i;

		if (i < processes) {
			history_ids(PERF_RECORD_FORK, 0, pid, 0, pid, 0);
			state_fold(st, history_done(1));
			if (sets) {
				history_namespaces(pid, pid, 1 + i % sets);
				state_fold(st, history_done(1));
			}
		}
		if (state_bytes(st) > most)
			most = state_bytes(st);
		if (i >= AT_A_TIME) {
			history_ids(PERF_RECORD_EXIT, 0, pid - AT_A_TIME, 0, pid - AT_A_TIME, 0);
			state_fold(st, history_done(2));
			state_end_exited(st, 3);
		}
	}
	*left = state_bytes(st);
	state_free(st);
	return most;
}

/* Namespaces that processes share are in memory once. */
static void share(unsigned int processes)
{
	size_t left[3];
	const size_t without = most_bytes(processes, 0, &left[0]);
	const size_t few = most_bytes(processes, 4, &left[1]);
	const size_t own = most_bytes(processes, processes, &left[2]);

	tap_report(few < without + 1000 && left[1] == left[0],
		   "%u processes with 4 sets of namespaces: %zu bytes at most, without %zu; %zu left, %zu",
		   processes, few, without, left[1], left[0]);
	tap_report(own < without + AT_A_TIME * 300 && left[2] == left[0],
		   "%u processes, each with its own: %zu bytes at most, %zu left", processes,
		   own, left[2]);
}

/* The state keeps the late ids of this many files. */
#define LATE_IDS	4096
#define FILES		(LATE_IDS + 1000)

struct late_id {
	struct perf_event_header header;
	__u32 pid;
	__u8 id[24];
	char name[16];
};

static void fold_late_id(struct state *st, unsigned int file)
{
	struct late_id rec = { .header = { REC_BUILD_ID, 0, sizeof(rec) }, .pid = -1 };

	snprintf(rec.name, sizeof(rec.name), "/bin/f%u", file);
	state_fold(st, &rec.header);
}

/* @ctx: a bool for each file, whether its id was emitted */
static int note_late_id(void *ctx, const struct perf_event_header *h)
{
	const struct late_id *rec = (const void *)h;
	unsigned int file;
	bool *seen = ctx;

	if (h->type != REC_BUILD_ID)
		return 0;
	if (sscanf(rec->name, "/bin/f%u", &file) != 1 || file >= FILES || seen[file])
		return -1;
	seen[file] = true;
	return 0;
}

/* If there are too many late ids, the state forgets those that came first. */
static void late_ids(void)
{
	static bool seen[FILES];
	struct state *st = state_new();
	unsigned int i, old = 0, kept = 0;
	int err;

	for (i = 0; i < LATE_IDS; i++)
		fold_late_id(st, i);
	/* File 5 has a new id, so it does not count as old any more. */
	fold_late_id(st, 5);
	for (; i < FILES; i++)
		fold_late_id(st, i);
	err = state_emit(st, 77, note_late_id, seen);
	for (i = 0; i < FILES; i++)
		*(i != 5 && i <= FILES - LATE_IDS ? &old : &kept) += seen[i];
	tap_report(!err && !old && kept == LATE_IDS,
		   "of %d late ids the newest %d are kept: %u, and %u older ones", FILES,
		   LATE_IDS, kept, old);
	state_free(st);
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	int i, wrong = 0;

	for (i = 0; i < 500 && !wrong; i++) {
		history_seed = first + i;
		wrong = live();
	}
	if (wrong)
		printf("# SEED=%llu, record %d\n", (unsigned long long)first + i - 1, wrong);
	tap_report(!wrong, "500 histories of %d records", OPS);
	history_seed = first;
	churn(10000, false);
	churn(100000, false);
	churn(10000, true);
	own_parent();
	share(1000000);
	late_ids();
	return tap_end();
}
