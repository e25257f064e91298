// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of auxdata_summary(): the stream reports losses that the ring's control page counts but
 * that no gap has reported, also if no event has AUX data.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/auxdata.h"
#include "record/payloads.h"
#include "record/record.h"
#include "session/session.h"
#include "stream/payload.h"
#include "../../tap.h"

#define KEY	0x1234
#define ID	77

static struct perfaux_control control = { .key = KEY };
static struct sev sev = { .chunk_id = ID, .payloads = true };
static char path[64];

static struct payloads payloads = { .event = &sev };

/* The session of --bpf-ring and an event without raw data */
static struct session session = {
	.sev = &sev, .nr_sev = 1, .have_raw = true, .have_payloads = true,
	.raw.ctl = &control, .payloads = &payloads,
};

struct part {
	struct perf_event_header header;
	__u64 id;
	__u32 pid, tid;
	__u64 time;
	__u32 cpu, reserved;
	__u64 period;
	__u32 raw_size;
	struct auxrec_payload payload;
} __attribute__((packed, aligned(4)));

/* The records of the stream. @nr counts all of them, also if @part has no room for them. */
struct told {
	struct part part[4];
	unsigned int nr;
	bool others;
};

static struct told tell(void)
{
	struct told told = { .nr = 0 };
	struct perf_event_header h;
	struct diag d = { "" };
	FILE *f;

	session.out = (struct stream){ .fd = -1 };
	session.main.max_time = 5000;
	session.flushed_time = 4000;
	unlink(path);
	if (stream_open(&session.out, path, &d) || auxdata_summary(&session) ||
	    stream_flush(&session.out)) {
		printf("# %s\n", d.msg);
		return told;
	}
	stream_close(&session.out);
	f = fopen(path, "r");
	/* The first 16 bytes are the stream's header, not a record. */
	if (f)
		fseek(f, 16, SEEK_SET);
	while (f && fread(&h, sizeof(h), 1, f) == 1) {
		struct part *part = &told.part[told.nr % 4];

		if (h.type != PERF_RECORD_SAMPLE || h.size != ALIGN8(sizeof(*part))) {
			told.others = true;
			break;
		}
		part->header = h;
		if (fread(&part->id, sizeof(*part) - sizeof(h), 1, f) != 1)
			break;
		fseek(f, h.size - sizeof(*part), SEEK_CUR);
		told.nr++;
	}
	if (f)
		fclose(f);
	unlink(path);
	return told;
}

static bool is_gap(const struct part *part, unsigned int cause, __u64 count,
		   __u64 bytes)
{
	const struct auxrec_payload p = part->payload;

	return part->id == ID && !part->period && part->pid == -1U &&
	       part->tid == -1U && part->cpu == -1U && part->time > 4000 &&
	       p.magic == AUXREC_PAYLOAD_MAGIC && p.key == KEY &&
	       p.flags == AUXREC_PAYLOAD_GAP && p.cause == cause &&
	       p.offset == count && p.total == bytes && !p.length;
}

/* Each thread has its own queue. The queues are numbered from 0. */
static bool queues_are_numbered(void)
{
	struct queues q = { 0 };
	bool good = true;
	__u32 i, again;

	for (again = 0; again < 2; again++) {
		for (i = 0; i < 1000; i++) {
			const struct queue *queue = queue_get(&q, i * 7919);

			good &= queue && queue->idx == i && queue->tid == i * 7919;
		}
	}
	good &= q.nr == 1000;
	queues_free(&q);
	return good;
}

int main(void)
{
	struct told told;
	int fd;

	snprintf(path, sizeof(path), "/tmp/test_sums.XXXXXX");
	fd = mkstemp(path);
	if (fd < 0)
		return 1;
	close(fd);

	told = tell();
	tap_report(!told.nr && !told.others, "nothing is lost, nothing is told");

	control.merged_begin = 2000;
	control.merged_end = 3000;
	control.lost_count[PERFAUX_CAUSE_NO_GAP] = 9;
	control.lost_bytes[PERFAUX_CAUSE_NO_GAP] = 900;
	told = tell();
	tap_report(told.nr == 1 && !told.others &&
		   is_gap(&told.part[0], PERFAUX_CAUSE_NO_GAP, 9, 900) &&
		   told.part[0].payload.time == 2000,
		   "gaps without an entry");
	tap_report(payloads.stats.lost[PERFAUX_CAUSE_NO_GAP] == 9 &&
		   payloads.stats.lost_bytes[PERFAUX_CAUSE_NO_GAP] == 900,
		   "they are in the summary");

	control.lost_count[PERFAUX_CAUSE_NO_GAP] = 0;
	session.raw.missing = 3;
	told = tell();
	tap_report(told.nr == 1 && !told.others &&
		   is_gap(&told.part[0], PERFAUX_CAUSE_NONE, 3, 0),
		   "numbers that never came");

	session.have_payloads = false;
	told = tell();
	tap_report(!told.nr && !told.others, "not without an event to tell it by");
	tap_report(queues_are_numbered(), "a queue for each thread");
	return tap_end();
}
