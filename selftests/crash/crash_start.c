// SPDX-License-Identifier: GPL-2.0-only
/*
 * crash_start WAY KIND SEED: record into a kept ring, and stop the machine while the events run.
 *
 * KIND is
 *	aux	AUX data of auxgen, in an overwrite ring: timers, NMIs, tasks, and truncated data
 *	full	the same without overwrite
 *	all	like aux, with raw samples of rawgen and records of rawprod
 * WAY is one of those in crash_now().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ring/lib/auxgen_check.h"
#include "../ring/lib/produce_lib.h"
#include "../ring/lib/rawgen_check.h"
#include "kept.h"

#define SEGMENT		16384
/*
 * us. On a busy host, a CPU of the VM can be ten times slower than one of a quiet host, and must
 * still do more than serve timers.
 */
#define PERIOD		2000ULL

static struct ring ring;
static struct note *note;

static void die(const char *what, int error)
{
	fprintf(stderr, "crash_start: cannot %s: %s\n", what, strerror(error < 0 ? -error : error));
	exit(1);
}

static void map_note(void)
{
	note = mmap(NULL, NOTE_USER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd,
		    ring.create.marks_size + ring.create.ring_size);
	if (note == MAP_FAILED)
		die("map the user part", errno);
}

static void make_ring(int nr_cpus, bool overwrite, uint64_t seed)
{
	struct perfaux_create create;
	uint64_t *words;
	uint32_t i;
	int ret;

	ring_params(&create, SEGMENT, 8 * nr_cpus + 16);
	create.flags = PERFAUX_RING_KEPT | (overwrite ? PERFAUX_RING_OVERWRITE : 0);
	create.user_size = NOTE_USER_SIZE;
	ret = ring_open(&ring, &create);
	if (ret)
		die("make a kept ring", ret);
	map_note();
	note->magic = NOTE_MAGIC;
	note->seed = seed;
	words = (uint64_t *)(note + 1);
	for (i = 0; i < (NOTE_USER_SIZE - sizeof(*note)) / 8; i++)
		words[i] = note_word(seed, i);
}

static void start_aux(int pid, int cpu, uint32_t stream, uint64_t config)
{
	const struct auxgen_config c = { config | (uint64_t)stream << 24, PERIOD };
	int event = auxgen_open(&c, pid, cpu, pid > 0 ? EV_INHERIT : 0);
	int ret = event < 0 ? event : ring_attach(&ring, event, COOKIE_AUX + stream);

	if (!ret)
		ret = event_enable(event);
	if (ret)
		die("start an event of auxgen", ret);
}

static void start_raw(int cpu)
{
	const struct rawgen_config config = {
		RAWGEN_CONTEXT(RAWGEN_HARDIRQ) | RAWGEN_CONTEXT(RAWGEN_NMI), 200 | PERIOD << 32, 0,
	};
	struct rawgen_source *source = calloc(1, sizeof(*source));
	int ret = rawgen_open(source, &config, -1, cpu, 65536);

	if (!ret)
		ret = raw_attach(&ring, source->ev.fd, COOKIE_RAW);
	if (!ret)
		ret = event_enable(source->ev.fd);
	if (ret)
		die("start an event of rawgen", ret);
}

/* A child that writes one record after the other, and notes each one. */
static void produce(void *arg)
{
	int dev = rawprod_open(ring.fd);

	(void)arg;
	if (dev < 0)
		die("open rawprod", dev);
	/* Children do not inherit the parent's mappings of a ring. */
	map_note();
	pin_to(0);
	for (;;) {
		struct rawprod_run run = {
			.length = 100 + note->produced % 500, .count = 1,
			.cookie = COOKIE_PRODUCED + note->produced,
		};

		if (rawprod_run(dev, &run))
			die("write a record", errno);
		if (run.written)
			__atomic_store_n(&note->produced, note->produced + 1, __ATOMIC_RELEASE);
	}
}

static void start_child(struct child *child, void (*fn)(void *arg))
{
	int ret = child_start(child, fn, NULL);

	if (ret)
		die("fork", ret);
}

static void start_all(bool frames, const int *cpus, int nr)
{
	struct child tasks, producer;
	int i;

	note->since = now_ns();
	start_child(&tasks, endless_fn);
	start_aux(tasks.pid, -1, STREAM_CTX, AUXGEN_F_CTX | 4);
	for (i = 0; i < nr; i++) {
		start_aux(-1, cpus[i], STREAM_TIMER, AUXGEN_F_TIMER | 20);
		start_aux(-1, cpus[i], STREAM_NMI, AUXGEN_F_NMI | 20);
		start_aux(-1, cpus[i], STREAM_TRUNCATE,
			  AUXGEN_F_TIMER | 8 | 50ULL << 32);
		if (frames)
			start_raw(cpus[i]);
	}
	child_go(&tasks);
	if (!frames)
		return;
	start_child(&producer, produce);
	child_go(&producer);
}

/* Returns if the stop comes later. */
static void insert_crashgen(const char *how, uint32_t delay)
{
	char params[64];
	int ret;

	snprintf(params, sizeof(params), "how=%s delay=%u", how, delay);
	ret = module_insert("crashgen", params);
	if (ret)
		die("insert crashgen", ret);
}

/* Stop the machine. Returns if the stop comes later, or not at all. */
static void crash_now(const char *way, struct rnd *rnd)
{
	static const char * const hows[] = { "irq", "nmi" };

	if (!strcmp(way, "sysrq-c") || !strcmp(way, "sysrq-b")) {
		file_write("/proc/sysrq-trigger", way + strlen("sysrq-"));
	} else if (!strcmp(way, "reboot")) {
		syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			LINUX_REBOOT_CMD_RESTART, NULL);
	} else if (!strcmp(way, "random")) {
		insert_crashgen(hows[rnd_below(rnd, ARRAY_SIZE(hows))],
				1000 + rnd_below(rnd, 20000000));
	} else {
		insert_crashgen(way, 1000000);
	}
}

/*
 * The judge assumes that this ring had all chunks before the first one that it finds. If auxgen had
 * written to these streams before, those chunks would count as missing.
 */
static void check_numbers(void)
{
	unsigned int cpu, stream;
	static char text[65536];
	char *at = text;
	int len;

	if (file_read("/sys/bus/event_source/devices/auxgen/stats", text, sizeof(text)))
		die("read auxgen's stats", EIO);
	for (; sscanf(at, "%u %u %*u %*u\n%n", &cpu, &stream, &len) == 2; at += len)
		if (stream && stream < NR_STREAMS)
			die("begin: auxgen has written to these streams in this boot", EEXIST);
}

int main(int argc, char **argv)
{
	const bool overwrite = argc != 4 || strcmp(argv[2], "full");
	struct rnd rnd = { argc == 4 ? strtoull(argv[3], NULL, 0) : 0 };
	int cpus[KEPT_CPUS], nr = online_cpus(cpus, KEPT_CPUS);
	const __u64 *count;

	if (argc != 4) {
		fprintf(stderr, "usage: crash_start WAY KIND SEED\n");
		return 2;
	}
	check_numbers();
	make_ring(nr, overwrite, rnd.state);
	start_all(!strcmp(argv[2], "all"), cpus, nr);
	count = &ring.ctl->lost_count[overwrite ? PERFAUX_CAUSE_OVERWRITTEN : PERFAUX_CAUSE_FULL];
	if (!work_until(count, overwrite ? 2 * ring.ctl->nr_segments : 1))
		die("fill the ring", ETIME);
	if (!strcmp(argv[2], "all") && !work_until((const __u64 *)&note->produced, 10))
		die("write records", ETIME);
	note->until = now_ns();
	crash_now(argv[1], &rnd);
	/* A panic in an interrupt needs a moment. A minute is too long. */
	sleep(60);
	die("stop the machine", ETIME);
}
