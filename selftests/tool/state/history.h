/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random lives of tasks as records, and a simple model of what the records mean: an array of pages
 * for each process.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#define PIDS	24		/* numbers of tasks: they are used again */
#define PAGES	40
#define PAGE	4096
#define THINGS	16		/* symbols, programs, cgroups, places in the kernel */
#define KERNEL	PIDS		/* index of the kernel's maps */

/* A task, as a reader of the records knows it */
struct task {
	bool lives;
	uint32_t pid;		/* index of its process */
	char comm[16];
	uint32_t namespaces;
};

struct model {
	struct task task[PIDS];		/* by tid */
	uint64_t page[PIDS + 1][PAGES];	/* by pid: file and page of it */
	uint32_t symbol[THINGS], program[THINGS], cgroup[THINGS];
	uint32_t code[THINGS];		/* the kernel's code, by address */
};

union record {
	struct perf_event_header header;
	uint64_t words[64];
	uint8_t bytes[512];
};

extern uint64_t history_seed;
uint32_t history_rnd(uint32_t below);

/* Add the record to the model. */
void history_learn(struct model *m, const struct perf_event_header *h);
/* Does @b, a reader of the folded state, know the same as @a, a reader of all records? */
bool history_same(const struct model *a, const struct model *b);

/*
 * Begin a record: any record that is possible in @m; FORK or EXIT; MMAP or MMAP2; COMM, or a record
 * that begins like it; NAMESPACES; CGROUP. Tasks are given by index; -1 as a parent is a task that
 * the model does not have. history_done() completes the record and returns it.
 */
void history_something(const struct model *m);
void history_ids(uint32_t type, uint16_t misc, int pid, int ppid, int tid, int ptid);
void history_map(uint32_t pid, uint32_t tid);
void history_name(uint32_t type, uint16_t misc, uint32_t pid, uint32_t tid);
void history_namespaces(uint32_t pid, uint32_t tid, uint64_t set);
void history_cgroup(uint64_t id, const char *path);
const struct perf_event_header *history_done(uint64_t time);

#endif /* HISTORY_H */
