// SPDX-License-Identifier: GPL-2.0-only
/*
 * status text|json|metrics: print what a flight recorder tells about itself.
 * status serve PATH: tell it to the clients of a control socket, until stdin ends.
 * status serve PATH NR: the same, with NR triggers.
 *
 * The recorder is made up: it has a raw ring in ordinary memory, and all its numbers differ.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight/flight.h"
#include "perfaux.h"
#include "service/facts.h"
#include "../flight/wrap.h"

#define SECOND	NSEC_PER_SEC

__u64 __wrap_now_ns(void)
{
	return 1000 * SECOND;
}

__u64 __wrap_perf_clock_about(struct perf_clock *c)
{
	(void)c;
	return 5000 * SECOND;
}

/* The names show the escapes of each form. Two triggers have the same name. */
static struct trigger triggers[] = {
	{ .kind = TRIGGER_SOCKET, .name = "socket-s", .taken = 101, .suppressed = 102 },
	{ .kind = TRIGGER_CRASH, .name = "a\"b\\c{d}", .taken = 103, .suppressed = 104 },
	{ .kind = TRIGGER_SIGNAL, .name = "socket-s", .taken = 1000, .suppressed = 2000 },
};

static struct options options = {
	.cgroups = true,
	.flight = { .window = 30 * SECOND, .triggers = triggers,
		    .nr_triggers = ARRAY_LEN(triggers) },
};

static struct perfaux_control control = { .bytes = 301 << 10, .frame_bytes = 302 << 10 };
static char *last[] = { "/snap\nshots/\"one\"" };
static int cpu_list[3];

static struct flight flight = {
	.memory = { .limit = 64 << 20, .own = 5 << 20, .main = 512 << 10, .records = 1024 },
	.lacking = { .part = SNAPSHOT_SHORT_SAMPLES, .history = 7 * SECOND, .memory = 96 << 20 },
	.suppressed = 201,
	.stats = {
		.snapshots = 11, .failed = 12, .bytes = 13 << 20, .not_kept = 14,
		.longest_ns = 15 * SECOND / 10, .removed = 16, .forgotten_maps = 17,
		.last = 1700000000 * SECOND,
	},
	.files = { .paths = last, .nr = 1 },
};

static struct session session = {
	.opt = &options,
	.flight = &flight,
	.started = 877 * SECOND,
	.recording = 0xfaa8150baffb28f2,
	.cpus = { .list = cpu_list, .nr = ARRAY_LEN(cpu_list) },
	.main = { .bytes = 300 << 10, .lost = 21, .lost_samples = 22, .unwritten = 23 },
	.have_raw = true,
	.raw = { .ctl = &control, .ring_size = 16 << 20, .marks_size = 4096 },
};

/* Print a line when the socket is there. */
static int serve(const char *path)
{
	static const struct control_ops ops = { .status = flight_status };
	struct diag d = { .msg = "" };
	struct control *c = control_open(path, &ops, &session, &d);
	struct pollfd p[] = {
		{ .fd = c ? control_fd(c) : -1, .events = POLLIN }, { .events = POLLIN },
	};

	if (!c) {
		fprintf(stderr, "%s\n", d.msg);
		return 2;
	}
	puts("ready");
	fflush(stdout);
	while (poll(p, ARRAY_LEN(p), -1) > 0 && !p[1].revents)
		control_run(c);
	control_close(c);
	return 0;
}

static void set_triggers(unsigned int nr)
{
	struct trigger *many = calloc(nr, sizeof(*many));
	unsigned int i;

	for (i = 0; many && i < nr; i++) {
		many[i] = (struct trigger){ .kind = TRIGGER_HANG, .taken = i };
		snprintf(many[i].name, sizeof(many[i].name), "hang-%u_5s", 1000000 + i);
	}
	options.flight.triggers = many;
	options.flight.nr_triggers = many ? nr : 0;
}

int main(int argc, char **argv)
{
	static const struct recent_limits limits = { .memory = 1 << 20 };
	static const char * const forms[] = {
		[FACTS_TEXT] = "text", [FACTS_JSON] = "json", [FACTS_METRICS] = "metrics",
	};
	unsigned int i;

	flight.recent = recent_new(&limits);
	for (i = 0; i < PERFAUX_NR_CAUSES; i++) {
		control.lost_count[i] = 400 + i;
		control.lost_bytes[i] = 4000 + i;
	}
	control.lost_count[PERFAUX_CAUSE_TOO_LARGE] = 0;
	control.lost_bytes[PERFAUX_CAUSE_TOO_LARGE] = 0;
	if (argc == 4)
		set_triggers(atoi(argv[3]));
	if (argc >= 3 && flight.recent && !strcmp(argv[1], "serve"))
		return serve(argv[2]);
	for (i = 0; argc == 2 && flight.recent && i < ARRAY_LEN(forms); i++) {
		if (strcmp(argv[1], forms[i]))
			continue;
		flight_status(&session, i, stdout);
		return 0;
	}
	return 2;
}
