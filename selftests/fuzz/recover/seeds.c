// SPDX-License-Identifier: GPL-2.0-only
/*
 * seeds DIR: write inputs for fuzz_recover: a recording with AUX data, one with raw data of
 * samples, and a damaged one.
 */
#include <perfaux.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flight/survive.h"
#include "history/journal.h"
#include "ops.h"
#include "event/aux.h"

struct seed {
	FILE *f;
};

static void add(struct seed *s, struct op head, const void *bytes, size_t size)
{
	head.size = size;
	fwrite(&head, sizeof(head), 1, s->f);
	fwrite(bytes, 1, size, s->f);
}

static void open_seed(struct seed *s, const char *dir, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	s->f = fopen(path, "w");
	if (!s->f) {
		perror(path);
		exit(1);
	}
}

struct described {
	struct survive_session session;
	struct survive_event event;
	struct survive_fd fd[2];
};

static void put_session(struct seed *s, __u32 aux, __u32 flags)
{
	struct described d = {
		.session = {
			.version = SURVIVE_VERSION, .flags = flags, .recording = 77,
			.boot_id = "boot", .nr_events = 1, .pid = 7,
		},
		.event = {
			.attr = {
				.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr),
				.config = PERF_COUNT_SW_DUMMY, .sample_id_all = 1,
				.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
					       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
					       (flags & SURVIVE_PAYLOADS ? PERF_SAMPLE_RAW : 0),
			},
			.aux = aux, .nr_fds = 2,
			.flags = SURVIVE_EVENT_SIDEBAND |
				 (flags & SURVIVE_PAYLOADS ? SURVIVE_EVENT_PAYLOADS : 0),
		},
		.fd = { { .id = 1, .cpu = 0 }, { .id = 2, .cpu = 1 } },
	};

	add(s, (struct op){ .kind = OP_BEGIN }, NULL, 0);
	add(s, (struct op){ .kind = OP_ENTRY, .a = JOURNAL_SESSION }, &d, sizeof(d));
}

struct comm {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[16];
	__u32 id_pid, id_tid;
	__u64 time;
	__u32 cpu, res;
	__u64 id;
};

static void put_comm(struct seed *s, enum journal_kind kind, __u64 time)
{
	const struct comm rec = {
		.header = { PERF_RECORD_COMM, 0, sizeof(rec) }, .pid = 7, .tid = 8,
		.comm = "program", .id_pid = 7, .id_tid = 8, .time = time, .id = 1,
	};

	add(s, (struct op){ .kind = OP_ENTRY, .a = kind }, &rec, sizeof(rec));
}

struct sample {
	struct perf_event_header header;
	__u64 id;
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, res;
};

static void put_sample(struct seed *s, __u64 time)
{
	const struct sample rec = {
		.header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(rec) },
		.id = 1, .pid = 7, .tid = 8, .time = time,
	};

	add(s, (struct op){ .kind = OP_ENTRY, .a = JOURNAL_RECORD }, &rec, sizeof(rec));
}

static void put_journal(struct seed *s, __u32 aux, __u32 flags)
{
	const __u64 seal[2] = { 100, 0 };
	const struct journal_settled settled = { 400, 500, 600 };

	put_session(s, aux, flags);
	put_comm(s, JOURNAL_STATE, 50);
	add(s, (struct op){ .kind = OP_SEAL }, seal, sizeof(seal));
	put_comm(s, JOURNAL_RECORD, 150);
	put_sample(s, 200);
	put_sample(s, 300);
	add(s, (struct op){ .kind = OP_ENTRY, .a = JOURNAL_SETTLED }, &settled, sizeof(settled));
}

static void put_spans(struct seed *s)
{
	const struct perfaux_span span = {
		.seq = 1, .t_begin = 150, .t_end = 250, .length = 64, .pid = 7, .tid = 8,
	};
	const struct perfaux_open open = {
		.t_begin = 260, .offset = 64, .index = 1, .pid = 7, .tid = 8,
	};
	const struct perfaux_gap gap = {
		.seq = 2, .t_begin = 300, .t_end = 350, .cause = PERFAUX_CAUSE_FULL, .count = 2,
		.bytes = 99,
	};
	char data[128];

	memset(data, 0x2, sizeof(data));
	add(s, (struct op){ .kind = OP_CLAIM, .a = 1 }, NULL, 0);
	add(s, (struct op){ .kind = OP_DATA, .a = 1 }, data, sizeof(data));
	add(s, (struct op){ .kind = OP_SPAN, .a = 1 }, &span, sizeof(span));
	add(s, (struct op){ .kind = OP_OPEN, .a = 1 }, &open, sizeof(open));
	add(s, (struct op){ .kind = OP_GAP, .a = 0 }, &gap, sizeof(gap));
}

static void put_frames(struct seed *s)
{
	struct {
		struct perfaux_frame frame;
		char data[32];
	} f = {
		.frame = { .state = 1 << 8 | PERFAUX_FRAME_COMMITTED, .length = 20, .segment = 2,
			   .time = 200 },
		.data = "raw data",
	};
	const struct perfaux_segment segment = { .kind = PERFAUX_KIND_FRAMES, .used = sizeof(f) };

	add(s, (struct op){ .kind = OP_CLAIM, .a = 2, .b = PERFAUX_KIND_FRAMES }, NULL, 0);
	add(s, (struct op){ .kind = OP_SEGMENT, .a = 2 }, &segment, sizeof(segment));
	add(s, (struct op){ .kind = OP_DATA, .a = 2 }, &f, sizeof(f));
	add(s, (struct op){ .kind = OP_READY, .a = 2 }, NULL, 0);
}

static void put_stop(struct seed *s)
{
	const struct perfaux_stop stop = {
		.cause = PERFAUX_STOP_PANIC, .time = 700, .message = "the reason",
	};

	add(s, (struct op){ .kind = OP_STOP }, &stop, sizeof(stop));
}

static void aux(const char *dir)
{
	struct seed s;

	open_seed(&s, dir, "aux");
	put_journal(&s, AUX_INTEL_PT, 0);
	put_spans(&s);
	put_stop(&s);
	fclose(s.f);
}

static void frames(const char *dir)
{
	struct seed s;

	open_seed(&s, dir, "frames");
	put_journal(&s, 0, SURVIVE_PAYLOADS | SURVIVE_SYSTEM_WIDE);
	put_frames(&s);
	fclose(s.f);
}

static void damaged(const char *dir)
{
	const __u64 value = 3;
	const struct {
		__u32 offset;
		__u8 bytes[12];
	} poke = { 4096 * 12, "damaged" };
	struct seed s;

	open_seed(&s, dir, "damaged");
	put_session(&s, 0, 0);
	put_journal(&s, AUX_INTEL_PT, SURVIVE_PAYLOADS);
	put_spans(&s);
	put_frames(&s);
	add(&s, (struct op){ .kind = OP_LOSE }, &value, sizeof(value));
	add(&s, (struct op){ .kind = OP_POKE }, &poke, sizeof(poke));
	add(&s, (struct op){ .kind = OP_HEADER, .a = 9 }, &value, sizeof(value));
	fclose(s.f);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 1;
	}
	aux(argv[1]);
	frames(argv[1]);
	damaged(argv[1]);
	return 0;
}
