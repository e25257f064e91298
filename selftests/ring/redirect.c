// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of other users of ftrace and kprobes on the functions that the module
 * redirects.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

#include "kselftest_harness.h"
#include "lib/kernel_ring.h"

#define TRACING		"/sys/kernel/tracing/"
#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"

static const char * const functions[] = {
	"perf_aux_output_begin", "perf_aux_output_end", "perf_aux_output_skip",
	"perf_get_aux", "perf_aux_output_flag",
};

FIXTURE(redirect) {
	struct check check;
	int cpus[CHECK_CPUS];
	int nr;
};

FIXTURE_SETUP(redirect)
{
	module_insert("perfaux", "");
	self->nr = online_cpus(self->cpus, CHECK_CPUS);
}

static void tracing_reset(void)
{
	file_write(TRACING "current_tracer", "nop");
	file_write(TRACING "set_ftrace_filter", "");
	file_write(TRACING "events/kprobes/enable", "0");
	file_write(TRACING "kprobe_events", "");
	file_write(TRACING "trace", "");
}

FIXTURE_TEARDOWN(redirect)
{
	tracing_reset();
	file_write(FTRACE_ENABLED, "1");
	module_insert("perfaux", "");
}

/* Record a little of everything, and verify all of it. */
static const char *trace_some(struct check *check, int *cpus, int nr)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | AUXGEN_F_NMI | 4 | 2ULL << 48,
		200,
	};
	struct work work = {
		.forks = 2, .threads = 2, .rounds = 20, .spin = 20000,
	};
	struct perfaux_create create;
	int events[CHECK_CPUS], ev, i;
	struct child child;
	struct ring ring;

	ring_params(&create, 4096, 16 + 4 * nr);
	if (ring_open(&ring, &create))
		return "cannot create a ring";
	if (child_start(&child, work_fn, &work))
		return "cannot fork";
	config.config |= 1 << 24;
	ev = auxgen_open(&config, child.pid, -1, EV_INHERIT);
	if (ev < 0 || ring_attach(&ring, ev, COOKIE(1)))
		return "cannot open or attach the task's event";
	config.config ^= 3 << 24;
	for (i = 0; i < nr; i++) {
		events[i] = auxgen_open(&config, -1, cpus[i], 0);
		if (events[i] < 0 || ring_attach(&ring, events[i], COOKIE(2)))
			return "cannot open or attach a CPU's event";
	}
	check_start(check, &ring);
	event_enable(ev);
	for (i = 0; i < nr; i++)
		event_enable(events[i]);
	child_go(&child);
	while (!waitpid(child.pid, NULL, WNOHANG)) {
		ring_poll(&ring, 5);
		ring_read(&ring, check_record, check);
	}
	for (i = 0; i < nr; i++)
		event_disable(events[i]);
	ring_flush(&ring, 0);
	ring_read(&ring, check_record, check);
	check_end(check);
	if (!check->switches || !check->timers || !check->nmis)
		check_fail(check, "%lu chunks by switch, %lu by timer, %lu by NMI",
			   check->switches, check->timers, check->nmis);
	for (i = 0; i < nr; i++)
		close(events[i]);
	close(ev);
	ring_close(&ring);
	return check->error;
}

/* Return whether the trace has a line with @what. */
static bool traced(const char *what)
{
	static char line[4096];
	FILE *f = fopen(TRACING "trace", "r");
	bool found = false;

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		found = line[0] != '#' && strstr(line, what);
	fclose(f);
	return found;
}

/* Switching ftrace off is refused and changes nothing. */
TEST_F_TIMEOUT(redirect, ftrace_off, SECONDS)
{
	char text[16];

	EXPECT_EQ(-EBUSY, file_write(FTRACE_ENABLED, "0"));
	ASSERT_EQ(0, file_read(FTRACE_ENABLED, text, sizeof(text)));
	EXPECT_STREQ("1\n", text);
	EXPECT_STREQ("", trace_some(&self->check, self->cpus, self->nr));
}

/* With ftrace off the module cannot be inserted, and says so. */
TEST_F_TIMEOUT(redirect, insert_with_ftrace_off, SECONDS)
{
	ASSERT_EQ(0, module_remove_wait("perfaux"));
	ASSERT_EQ(0, file_write(FTRACE_ENABLED, "0"));
	EXPECT_EQ(-EBUSY, module_insert("perfaux", ""));
	ASSERT_EQ(0, file_write(FTRACE_ENABLED, "1"));
	ASSERT_EQ(0, module_insert("perfaux", ""));
	EXPECT_STREQ("", trace_some(&self->check, self->cpus, self->nr));
}

TEST_F_TIMEOUT(redirect, function_tracer, SECONDS)
{
	size_t i;

	ASSERT_EQ(0, file_write(TRACING "set_ftrace_filter",
				"perf_aux_output_* perf_get_aux"));
	ASSERT_EQ(0, file_write(TRACING "current_tracer", "function"));
	EXPECT_STREQ("", trace_some(&self->check, self->cpus, self->nr));
	for (i = 0; i < 4; i++)
		EXPECT_TRUE(i == 3 || traced(functions[i]));
}

TEST_F_TIMEOUT(redirect, function_graph, SECONDS)
{
	char tracers[256];

	ASSERT_EQ(0, file_read(TRACING "available_tracers", tracers, sizeof(tracers)));
	if (!strstr(tracers, "function_graph"))
		SKIP(return, "no function_graph tracer");
	/*
	 * Set the filter first: with all functions this takes a minute in a debug
	 * kernel.
	 */
	ASSERT_EQ(0, file_write(TRACING "set_ftrace_filter",
				"perf_aux_output_* perf_get_aux auxgen_*"));
	ASSERT_EQ(0, file_write(TRACING "current_tracer", "function_graph"));
	EXPECT_STREQ("", trace_some(&self->check, self->cpus, self->nr));
	EXPECT_TRUE(traced("perf_aux_output_end"));
}

/* Trace the module's own functions, which run in place of the kernel's. */
TEST_F_TIMEOUT(redirect, function_tracer_on_perfaux, SECONDS)
{
	ASSERT_EQ(0, file_write(TRACING "set_ftrace_filter", ":mod:perfaux"));
	ASSERT_EQ(0, file_write(TRACING "current_tracer", "function"));
	EXPECT_STREQ("", trace_some(&self->check, self->cpus, self->nr));
	EXPECT_TRUE(traced("pa_output_end"));
}

TEST_F_TIMEOUT(redirect, kprobes, SECONDS)
{
	char text[128];
	size_t i;
	int fd;

	fd = open(TRACING "kprobe_events", O_WRONLY | O_APPEND);
	if (fd < 0)
		SKIP(return, "no kprobe events");
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		snprintf(text, sizeof(text), "p:pa_%zu %s", i, functions[i]);
		ASSERT_EQ((ssize_t)strlen(text), write(fd, text, strlen(text)))
			TH_LOG("%s", text);
		snprintf(text, sizeof(text), "r:par_%zu %s", i, functions[i]);
		ASSERT_EQ((ssize_t)strlen(text), write(fd, text, strlen(text)))
			TH_LOG("%s", text);
	}
	close(fd);
	ASSERT_EQ(0, file_write(TRACING "events/kprobes/enable", "1"));
	EXPECT_STREQ("", trace_some(&self->check, self->cpus, self->nr));
	EXPECT_TRUE(traced("pa_1:"));
}

/* Tracers and probes come and go while handles are open. */
static void toggle_fn(void *arg)
{
	(void)arg;
	for (;;) {
		file_write(TRACING "set_ftrace_filter",
			   "perf_aux_output_* perf_get_aux");
		file_write(TRACING "current_tracer", "function");
		file_write(TRACING "kprobe_events",
			   "p:pa_end perf_aux_output_end");
		file_write(TRACING "events/kprobes/enable", "1");
		file_write(TRACING "current_tracer", "nop");
		file_write(TRACING "events/kprobes/enable", "0");
		file_write(TRACING "kprobe_events", "");
		file_write(TRACING "current_tracer", "function_graph");
		file_write(FTRACE_ENABLED, "0");
		file_write(TRACING "current_tracer", "nop");
	}
}

TEST_F_TIMEOUT(redirect, tracers_come_and_go, SECONDS)
{
	struct child toggle;
	int i;

	ASSERT_EQ(0, child_start(&toggle, toggle_fn, NULL));
	child_go(&toggle);
	for (i = 0; i < 5; i++)
		EXPECT_STREQ("", trace_some(&self->check, self->cpus,
					    self->nr));
	kill(toggle.pid, SIGKILL);
	child_wait(&toggle);
}

/* An event that is not attached goes through the kernel's own functions. */
TEST_F_TIMEOUT(redirect, not_attached, SECONDS)
{
	struct auxgen_config config = {
		AUXGEN_F_CTX | AUXGEN_F_TIMER | 1 << 24 | 4, 200,
	};
	struct kernel_ring kernel;
	struct child child;
	int ev;

	ASSERT_EQ(0, child_start(&child, endless_fn, NULL));
	child_go(&child);
	ASSERT_EQ(0, file_write(TRACING "set_ftrace_filter", ":mod:perfaux"));
	ASSERT_EQ(0, file_write(TRACING "current_tracer", "function"));
	ev = auxgen_open(&config, -1, self->cpus[0], 0);
	ASSERT_LE(0, ev);
	ASSERT_EQ(0, kernel_ring_map(&kernel, ev, 1 << 20));
	check_start(&self->check, NULL);
	event_enable(ev);
	while (kernel_ring_head(&kernel) < 100000)
		sched_yield();
	event_disable(ev);
	child_kill(&child);
	kernel_ring_read(&kernel, &self->check);
	check_end(&self->check);
	EXPECT_STREQ("", self->check.error);
	/* The hook checks the event, but none of our functions does the work. */
	EXPECT_FALSE(traced("pa_output_"));
	EXPECT_FALSE(traced("pa_segment_"));
	kernel_ring_unmap(&kernel);
	close(ev);
}

TEST_HARNESS_MAIN
