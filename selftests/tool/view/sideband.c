// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for ptxed of libipt, which Debian does not have. It takes the options that the script
 * of a bundle gives to ptxed, and prints the address of each instruction of a queue.
 *
 * It reads sideband by the rules of libipt's sideband library: all records have the same
 * sample_type, a record's size is exactly that of its fields, the primary file says which process
 * runs, the secondary one what is mapped, and a record counts from its time on.
 */
#include <err.h>
#include <intel-pt.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES	64

struct id {
	uint32_t pid, tid;
	uint64_t time;
};

struct channel {
	const char *name;
	uint8_t	*data;
	size_t	size, at;
};

struct process {
	uint32_t pid;
	struct pt_image *image;
};

static uint64_t shift, mult, zero;
static struct channel primary, secondary;
static struct process processes[PROCESSES];
static uint32_t now;		/* the process that the primary file has named last */

static void load(struct channel *c, const char *name)
{
	FILE *f = fopen(name, "rb");

	if (!f || fseek(f, 0, SEEK_END))
		err(2, "%s", name);
	c->name = name;
	c->size = ftell(f);
	c->data = malloc(c->size + 1);
	rewind(f);
	if (!c->data || fread(c->data, 1, c->size, f) != c->size)
		err(2, "%s", name);
	fclose(f);
}

static uint64_t to_tsc(uint64_t time)
{
	const uint64_t quot = (time - zero) / mult, rem = (time - zero) % mult;

	return (quot << shift) + (rem << shift) / mult;
}

static struct pt_image *image_of(uint32_t pid)
{
	size_t i;

	for (i = 0; i < PROCESSES && processes[i].image; i++)
		if (processes[i].pid == pid)
			return processes[i].image;
	if (i == PROCESSES)
		errx(2, "more than %d processes", PROCESSES);
	processes[i] = (struct process) { pid, pt_image_alloc(NULL) };
	return processes[i].image;
}

static size_t fixed_size(const struct channel *c, const struct perf_event_header *h)
{
	switch (h->type) {
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		return 8;
	case PERF_RECORD_MMAP2:
		return 64 + ((strnlen((const char *)(h + 1) + 64, h->size) + 8) & ~7U);
	default:
		errx(1, "%s: type %u at %zu", c->name, h->type, c->at);
	}
}

static void map(const uint8_t *body)
{
	uint64_t start, len, offset;
	uint32_t pid;
	int rc;

	memcpy(&pid, body, 4);
	memcpy(&start, body + 8, 8);
	memcpy(&len, body + 16, 8);
	memcpy(&offset, body + 24, 8);
	rc = pt_image_add_file(image_of(pid), (const char *)body + 64, offset, len, NULL, start);
	if (rc)
		errx(1, "%s: %s", body + 64, pt_errstr(pt_errcode(rc)));
}

static void apply(const struct perf_event_header *h, const struct id *id)
{
	const uint8_t *body = (const uint8_t *)(h + 1);

	if (h->type == PERF_RECORD_MMAP2)
		map(body);
	else if (h->type == PERF_RECORD_SWITCH_CPU_WIDE && h->misc & PERF_RECORD_MISC_SWITCH_OUT)
		memcpy(&now, body, 4);
	else
		now = id->pid;
}

/* Apply the records up to @tsc. */
static void advance(struct channel *c, uint64_t tsc)
{
	struct perf_event_header h;
	struct id id;
	size_t size;

	for (; c->at < c->size; c->at += h.size) {
		if (c->size - c->at < sizeof(h))
			errx(1, "%s: cut at %zu", c->name, c->at);
		memcpy(&h, c->data + c->at, sizeof(h));
		if (h.size < sizeof(h) || h.size > c->size - c->at)
			errx(1, "%s: a size of %u at %zu", c->name, h.size, c->at);
		size = sizeof(h) + fixed_size(c, (const void *)(c->data + c->at)) + sizeof(id);
		if (h.size != size)
			errx(1, "%s: a size of %u, not %zu, at %zu", c->name, h.size, size, c->at);
		memcpy(&id, c->data + c->at + h.size - sizeof(id), sizeof(id));
		if (to_tsc(id.time) > tsc)
			return;
		apply((const void *)(c->data + c->at), &id);
	}
}

static int take_events(struct pt_insn_decoder *d, int status)
{
	struct pt_event event;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_insn_event(d, &event, sizeof(event));
		if (status < 0)
			break;
		advance(&secondary, event.has_tsc ? event.tsc : 0);
		advance(&primary, event.has_tsc ? event.tsc : 0);
		pt_insn_set_image(d, image_of(now));
	}
	return status;
}

static int run(struct pt_insn_decoder *d, int status)
{
	struct pt_insn insn;

	while (status >= 0 && !(status & pts_eos)) {
		status = take_events(d, status);
		if (status < 0 || status & pts_eos)
			break;
		insn.iclass = ptic_error;
		status = pt_insn_next(d, &insn, sizeof(insn));
		if (insn.iclass != ptic_error)
			printf("%llx\n", (unsigned long long)insn.ip);
		else if (status < 0 && status != -pte_eos)
			warnx("%s at %#llx", pt_errstr(pt_errcode(status)),
			      (unsigned long long)insn.ip);
	}
	return status;
}

static void options(int argc, char **argv, struct channel *pt)
{
	bool sample_type = false;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		const uint64_t n = strtoull(argv[i + 1], NULL, 0);
		const char *name = argv[i];

		if (!strcmp(name, "--pevent:sample-type"))
			sample_type = n == (PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
		else if (!strcmp(name, "--pevent:time-shift"))
			shift = n;
		else if (!strcmp(name, "--pevent:time-mult"))
			mult = n;
		else if (!strcmp(name, "--pevent:time-zero"))
			zero = n;
		else if (!strcmp(name, "--pevent:primary"))
			load(&primary, argv[i + 1]);
		else if (!strcmp(name, "--pevent:secondary"))
			load(&secondary, argv[i + 1]);
		else if (!strcmp(name, "--pt"))
			load(pt, argv[i + 1]);
		else
			errx(2, "unknown option %s", name);
	}
	if (!sample_type || !mult || !primary.data || !secondary.data || !pt->data)
		errx(2, "an option is missing, or wrong");
}

int main(int argc, char **argv)
{
	struct channel pt = { NULL };
	struct pt_insn_decoder *d;
	struct pt_config config;
	int status, failed = 0;

	options(argc, argv, &pt);
	pt_config_init(&config);
	config.begin = pt.data;
	config.end = pt.data + pt.size;
	d = pt_insn_alloc_decoder(&config);
	if (!d)
		errx(2, "no decoder");
	while ((status = pt_insn_sync_forward(d)) >= 0) {
		status = run(d, status);
		failed |= status < 0 && status != -pte_eos;
	}
	pt_insn_free_decoder(d);
	return failed;
}
