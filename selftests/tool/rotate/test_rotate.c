// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/record/rotate.c: which file has sideband that comes around the switch.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../tap.h"
#include "record/rotate.h"
#include "stream/records.h"

#define RING_SIZE	4096

struct comm {
	struct perf_event_header header;
	__u32 pid, tid;
	char comm[16];
	struct rec_sample_id id;
};

static struct comm comm_of(const char *name, __u64 time)
{
	struct comm rec = {
		.header = { PERF_RECORD_COMM, 0, sizeof(rec) }, .pid = 7, .tid = 7,
		.id = { .pid = 7, .tid = 7, .time = time, .id = 1 },
	};

	strncpy(rec.comm, name, sizeof(rec.comm) - 1);
	return rec;
}

static struct perf_event_mmap_page page;
static __u64 ring_data[RING_SIZE / 8];
static struct mainring ring = { .page = &page, .data = (__u8 *)ring_data, .size = RING_SIZE };
static struct options options = { .output = "f", .switching = true, .switch_bytes = 1 };
static struct session s = { .opt = &options, .rings = &ring, .nr_rings = 1 };

static void put_in_ring(const struct comm *rec)
{
	memcpy((__u8 *)ring_data + page.data_head, rec, sizeof(*rec));
	page.data_head += sizeof(*rec);
}

static int put(void *ctx, const void *rec)
{
	(void)ctx;
	return stream_record(&s.out, rec);
}

/* Return how often the file has this name of a task. */
static unsigned int count(const char *path, const char *name)
{
	const int fd = open(path, O_RDONLY);
	char buf[65536], *at = buf;
	unsigned int nr = 0;
	ssize_t n;

	n = fd < 0 ? 0 : read(fd, buf, sizeof(buf));
	while (n > 0 && (at = memmem(at, buf + n - at, name, strlen(name)))) {
		nr++;
		at++;
	}
	close(fd);
	return nr;
}

static bool record(void)
{
	const struct perf_event_header round = { REC_FINISHED_ROUND, 0, sizeof(round) };
	const struct comm state = comm_of("from-setup", 0), early = comm_of("early", 100);
	const struct comm late = comm_of("in-the-ring", 300);
	struct diag d;

	if (stream_open(&s.out, "f", &d) || rotate_open(&s, &d))
		return false;
	rotate_setup(&s, true);
	stream_record(&s.out, &state);
	rotate_setup(&s, false);
	/* The state is no part of the size, even if it is not written yet. */
	stream_flush(&s.out);
	rotate_look(&s);
	if (rotate_is_due(&s))
		return false;
	stream_record(&s.out, &early);
	stream_record(&s.out, &round);
	stream_flush(&s.out);
	s.main.max_time = 200;
	s.flushed_time = 50;
	/* This record comes after the look at the ring. */
	put_in_ring(&late);
	rotate_look(&s);
	if (!rotate_is_due(&s))
		return false;
	s.rounds++;
	rotate_switch(&s);
	return !rotate_is_due(&s) && !s.out.err;
}

int main(void)
{
	char dir[] = "/tmp/test_rotate.XXXXXX", command[64];
	glob_t files;

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	tap_report(record(), "the file is switched");
	if (glob("f.*", 0, NULL, &files) || files.gl_pathc != 1)
		return 1;
	tap_report(count(files.gl_pathv[0], "in-the-ring") == 1,
		   "the old file has sideband that is still in a main ring");
	tap_report(!page.data_tail, "which stays there");
	mainring_snapshot(&ring);
	tap_report(!mainring_copy(&ring, put, NULL, &s.main, false) &&
		   !stream_flush(&s.out) && count("f", "in-the-ring") == 1,
		   "the new file has it, too");
	tap_report(count(files.gl_pathv[0], "early") == 1 && count("f", "early") == 1,
		   "both files have sideband of a time for which samples can come");
	tap_report(count("f", "from-setup") == 1, "the new file has the state");
	rotate_finish(&s);
	stream_close(&s.out);
	rotate_free(&s);
	globfree(&files);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || tap_end();
}
