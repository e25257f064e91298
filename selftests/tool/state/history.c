// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random lives of tasks for the tests of tool/history/, as records, and the model that tells what
 * the records mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "stream/records.h"

uint64_t history_seed;

uint32_t history_rnd(uint32_t below)
{
	history_seed = history_seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (history_seed >> 33) % below;
}

/* The tasks' thread ids begin at 1000. */
static uint32_t tid_of(uint32_t i)
{
	return i == KERNEL ? (uint32_t)-1 : 1000 + i;
}

static uint32_t index_of(uint32_t tid)
{
	return tid == (uint32_t)-1 ? KERNEL : tid - 1000;
}

/* --- what a reader knows --------------------------------------------------- */

static bool process_lives(const struct model *m, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < PIDS; i++)
		if (m->task[i].lives && m->task[i].pid == pid)
			return true;
	return false;
}

/* --- records --------------------------------------------------------------- */

static union record rec;
static size_t end;

static void begin(uint32_t type, uint16_t misc)
{
	memset(&rec, 0, sizeof(rec));
	rec.header.type = type;
	rec.header.misc = misc;
	end = sizeof(rec.header);
}

static void add(const void *data, size_t size)
{
	memcpy(rec.bytes + end, data, size);
	end += size;
}

static void add_u16(uint16_t v) { add(&v, sizeof(v)); }
static void add_u32(uint32_t v) { add(&v, sizeof(v)); }
static void add_u64(uint64_t v) { add(&v, sizeof(v)); }

static void add_text(const char *text)
{
	add(text, strlen(text) + 1);
	end = (end + 7) / 8 * 8;
}

const struct perf_event_header *history_done(uint64_t time)
{
	const struct rec_sample_id id = { .time = time, .id = 5 };

	add(&id, sizeof(id));
	rec.header.size = end;
	return &rec.header;
}

/* --- what records mean ----------------------------------------------------- */

static uint32_t word(const struct perf_event_header *h, size_t at)
{
	uint32_t v;

	memcpy(&v, (const uint8_t *)h + at, sizeof(v));
	return v;
}

static uint64_t quad(const struct perf_event_header *h, size_t at)
{
	uint64_t v;

	memcpy(&v, (const uint8_t *)h + at, sizeof(v));
	return v;
}

static void learn_fork(struct model *m, const struct perf_event_header *h)
{
	const uint32_t pid = index_of(word(h, 8)), ppid = index_of(word(h, 12));
	const uint32_t tid = index_of(word(h, 16)), ptid = index_of(word(h, 20));
	struct task *t = &m->task[tid];

	*t = (struct task){ .lives = true, .pid = pid };
	if (ptid < PIDS && m->task[ptid].lives && m->task[ptid].pid == ppid)
		memcpy(t->comm, m->task[ptid].comm, sizeof(t->comm));
	if (pid != tid || pid == ppid)
		return;
	if (h->misc & REC_MISC_FORK_EXEC || ppid >= PIDS)
		memset(m->page[pid], 0, sizeof(m->page[pid]));
	else
		memcpy(m->page[pid], m->page[ppid], sizeof(m->page[pid]));
}

static void learn_map(struct model *m, const struct perf_event_header *h)
{
	const uint32_t pid = index_of(word(h, 8)), name = h->type == PERF_RECORD_MMAP2 ?
					       REC_MMAP2_NAME : REC_MMAP_NAME;
	const uint64_t file = atoi((const char *)h + name);
	const uint64_t first = quad(h, 16) / PAGE, nr = quad(h, 24) / PAGE;
	uint64_t i;

	for (i = 0; i < nr; i++)
		m->page[pid][first + i] = file << 32 | (quad(h, 32) / PAGE + i);
}

/* exec() ends all other threads. The remaining one has the first thread's id (de_thread()). */
static void learn_exec(struct model *m, uint32_t pid)
{
	uint32_t i;

	memset(m->page[pid], 0, sizeof(m->page[0]));
	for (i = 0; i < PIDS; i++)
		if (m->task[i].pid == pid && i != pid)
			m->task[i].lives = false;
}

void history_learn(struct model *m, const struct perf_event_header *h)
{
	const uint32_t tid = word(h, 12);

	switch (h->type) {
	case PERF_RECORD_FORK:
		learn_fork(m, h);
		break;
	case PERF_RECORD_EXIT:
		m->task[index_of(word(h, 16))].lives = false;
		break;
	case PERF_RECORD_COMM:
		/* A task that gets a name exists. */
		m->task[index_of(tid)].lives = true;
		m->task[index_of(tid)].pid = index_of(word(h, 8));
		strncpy(m->task[index_of(tid)].comm, (const char *)h + 16, 15);
		if (h->misc & PERF_RECORD_MISC_COMM_EXEC)
			learn_exec(m, index_of(word(h, 8)));
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		learn_map(m, h);
		break;
	case PERF_RECORD_NAMESPACES:
		m->task[index_of(tid)].namespaces = quad(h, 32);
		break;
	case PERF_RECORD_KSYMBOL:
		m->symbol[quad(h, 8)] = word(h, 20) >> 16 ? 0 : word(h, 16);
		break;
	case PERF_RECORD_BPF_EVENT:
		m->program[word(h, 12)] = (word(h, 8) & 0xffff) ==
					  PERF_BPF_EVENT_PROG_LOAD;
		break;
	case PERF_RECORD_CGROUP:
		m->cgroup[quad(h, 8)] = atoi((const char *)h + 16);
		break;
	case PERF_RECORD_TEXT_POKE:
		m->code[quad(h, 8)] = word(h, 24);
		break;
	}
}

bool history_same(const struct model *a, const struct model *b)
{
	uint32_t i;

	for (i = 0; i <= PIDS; i++)
		if ((i == KERNEL || process_lives(a, i)) &&
		    memcmp(a->page[i], b->page[i], sizeof(a->page[i])))
			return false;
	for (i = 0; i < PIDS; i++) {
		const struct task *x = &a->task[i], *y = &b->task[i];

		/*
		 * @b does not have to know a task without a name. @b can know a first thread
		 * that has exited, because state_emit() emits such a thread again. In @b it can
		 * outlive its process.
		 */
		if (x->lives && !y->lives && x->comm[0])
			return false;
		if (y->lives && !x->lives && y->pid != i)
			return false;
		if (x->lives && y->lives &&
		    (x->pid != y->pid || strcmp(x->comm, y->comm)))
			return false;
		if (x->lives && x->namespaces != y->namespaces)
			return false;
	}
	return !memcmp(a->symbol, b->symbol, sizeof(a->symbol)) &&
	       !memcmp(a->program, b->program, sizeof(a->program)) &&
	       !memcmp(a->cgroup, b->cgroup, sizeof(a->cgroup)) &&
	       !memcmp(a->code, b->code, sizeof(a->code));
}

/* --- random lives ---------------------------------------------------------- */

/* Return an index that no living task has, and no living process as its first thread, or -1. */
static int unused(const struct model *m)
{
	const uint32_t start = history_rnd(PIDS);
	uint32_t i;

	for (i = 0; i < PIDS; i++) {
		const uint32_t tid = (start + i) % PIDS;

		if (!m->task[tid].lives && !process_lives(m, tid))
			return tid;
	}
	return -1;
}

static int some(const struct model *m)
{
	const uint32_t start = history_rnd(PIDS);
	uint32_t i;

	for (i = 0; i < PIDS; i++)
		if (m->task[(start + i) % PIDS].lives)
			return (start + i) % PIDS;
	return -1;
}

void history_ids(uint32_t type, uint16_t misc, int pid, int ppid, int tid, int ptid)
{
	begin(type, misc);
	add_u32(tid_of(pid));
	add_u32(ppid < 0 ? 1 : tid_of(ppid));
	add_u32(tid_of(tid));
	add_u32(ptid < 0 ? 1 : tid_of(ptid));
	add_u64(0);
}

void history_map(uint32_t pid, uint32_t tid)
{
	const uint32_t first = history_rnd(PAGES), nr = 1 + history_rnd(PAGES - first);
	const bool two = history_rnd(2);
	char name[16];

	begin(two ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
	      pid == KERNEL ? PERF_RECORD_MISC_KERNEL : 0);
	add_u32(tid_of(pid));
	add_u32(tid_of(tid));
	add_u64((uint64_t)first * PAGE);
	add_u64((uint64_t)nr * PAGE);
	add_u64((uint64_t)history_rnd(100) * PAGE);
	if (two)
		end = REC_MMAP2_NAME;
	snprintf(name, sizeof(name), "%u", 1 + history_rnd(1000));
	add_text(name);
}

void history_name(uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid)
{
	char name[16];

	begin(type, misc);
	add_u32(tid_of(pid));
	add_u32(tid_of(tid));
	snprintf(name, sizeof(name), "task-%u", history_rnd(100000));
	add_text(name);
}

void history_namespaces(uint32_t pid, uint32_t tid, uint64_t set)
{
	begin(PERF_RECORD_NAMESPACES, 0);
	add_u32(tid_of(pid));
	add_u32(tid_of(tid));
	add_u64(1);
	add_u64(0);
	add_u64(set);
}

void history_cgroup(uint64_t id, const char *path)
{
	begin(PERF_RECORD_CGROUP, 0);
	add_u64(id);
	add_text(path);
}

static void make_thing(void)
{
	char name[16];

	switch (history_rnd(4)) {
	case 0:
		begin(PERF_RECORD_KSYMBOL, 0);
		add_u64(history_rnd(THINGS));
		add_u32(1 + history_rnd(100));
		add_u16(1);
		add_u16(history_rnd(2));	/* UNREGISTER */
		add_text("symbol");
		break;
	case 1:
		begin(PERF_RECORD_BPF_EVENT, 0);
		add_u16(PERF_BPF_EVENT_PROG_LOAD + history_rnd(2));
		add_u16(0);
		add_u32(history_rnd(THINGS));
		add_u64(0);
		break;
	case 2:
		begin(PERF_RECORD_TEXT_POKE, PERF_RECORD_MISC_KERNEL);
		add_u64(history_rnd(THINGS));
		add_u16(4);
		add_u16(4);
		add_u32(0);
		add_u32(1 + history_rnd(100));
		add_u32(0);		/* padding */
		break;
	default:
		snprintf(name, sizeof(name), "%u", 1 + history_rnd(100));
		history_cgroup(history_rnd(THINGS), name);
		break;
	}
}

/* Begin, in @rec, a random record that is possible in @m. */
void history_something(const struct model *m)
{
	const int who = some(m), fresh = unused(m);
	const int pid = who < 0 ? -1 : (int)m->task[who].pid;

	if (who < 0) {
		history_ids(PERF_RECORD_FORK, REC_MISC_FORK_EXEC, 0, -1, 0, -1);
		return;
	}
	switch (history_rnd(12)) {
	case 0:
	case 1:
		if (fresh < 0)
			break;
		history_ids(PERF_RECORD_FORK, 0, fresh, pid, fresh, who);
		return;
	case 2:
		if (fresh < 0)
			break;
		history_ids(PERF_RECORD_FORK, 0, pid, pid, fresh, who);
		return;
	case 3:
	case 4:
		break;
	case 5:
		history_name(PERF_RECORD_COMM, 0, pid, who);
		return;
	case 6:
		history_name(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, pid, pid);
		return;
	case 7:
		/* Most tasks share their namespaces with other tasks. */
		history_namespaces(pid, who, 1 + history_rnd(history_rnd(3) ? 3 : 1000));
		return;
	case 8:
		make_thing();
		return;
	case 9:
		history_map(KERNEL, KERNEL);
		return;
	default:
		history_map(pid, who);
		return;
	}
	history_ids(PERF_RECORD_EXIT, 0, pid, pid, who, who);
}
