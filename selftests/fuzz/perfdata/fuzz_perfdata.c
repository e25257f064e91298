// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes as a stream of which a perf.data file is made. The file must have a
 * valid structure, or there is a message and no file. The corpus is that of the target "stream".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../scratch.h"
#include "base/util.h"
#include "perfdata/parts.h"

/* The data section consists of whole records. */
static void check_data(const char *data, __u64 at, __u64 end, const struct perf_data_summary *sum)
{
	__u64 records = 0;

	while (at < end) {
		struct rec_auxtrace rec = { .size = 0 };

		must(end - at >= sizeof(rec.header));
		memcpy(&rec, data + at, end - at < sizeof(rec) ? end - at : sizeof(rec));
		must(rec.header.size >= sizeof(rec.header) && rec.header.size % 8 == 0);
		must(rec.header.size <= end - at);
		at += rec.header.size;
		if (rec.header.type == REC_AUXTRACE) {
			must(rec.size <= end - at);
			at += rec.size;
		}
		records++;
	}
	must(records == sum->records);
}

static void check_features(const char *data, const struct pd_header *h, __u64 size)
{
	__u64 at = h->data.offset + h->data.size, next;
	struct pd_section s;
	unsigned int id, nr = 0;

	for (id = 0; id < PD_NR_FEATURES; id++)
		nr += h->features[id / 64] >> id % 64 & 1;
	next = at + nr * sizeof(s);
	for (; nr; nr--, at += sizeof(s)) {
		must(at + sizeof(s) <= size);
		memcpy(&s, data + at, sizeof(s));
		must(s.offset == next && s.size <= size - next);
		next += s.size;
	}
	must(next == size);
}

static void check_events(const char *data, const struct pd_header *h,
			 const struct perf_data_summary *sum)
{
	__u64 at = h->attrs.offset, next = at + h->attrs.size;
	struct pd_section ids;
	unsigned int i;

	must(h->attr_size > sizeof(ids) && h->attrs.size == sum->events * h->attr_size);
	must(next <= h->data.offset);
	for (i = 0; i < sum->events; i++) {
		at += h->attr_size;
		memcpy(&ids, data + at - sizeof(ids), sizeof(ids));
		must(ids.offset == next && ids.size <= h->data.offset - next);
		next += ids.size;
	}
	must(next == h->data.offset);
}

static void check_file(const char *path, const struct perf_data_summary *sum)
{
	struct pd_header h;
	char *data;
	size_t size;

	must(!slurp(path, &data, &size));
	must(size == sum->bytes && size >= sizeof(h));
	memcpy(&h, data, sizeof(h));
	must(h.magic == REC_MAGIC && h.size == sizeof(h) && h.attrs.offset == sizeof(h));
	must(h.data.offset <= size && h.data.size <= size - h.data.offset);
	check_events(data, &h, sum);
	check_data(data, h.data.offset, h.data.offset + h.data.size, sum);
	check_features(data, &h, size);
	free(data);
}

int LLVMFuzzerTestOneInput(const __u8 *data, size_t size)
{
	char in[SCRATCH_PATH], out[160];
	struct perf_data_summary sum;
	struct diag d;
	const int fd = scratch_file(in, data, size);
	int err;

	snprintf(out, sizeof(out), "%s/out", scratch_dir());
	must(!lseek(fd, 0, SEEK_SET));
	err = perf_data_write(fd, "in", out, &sum, &d);
	if (err) {
		must(err == -EBADMSG || err == -EOPNOTSUPP);
		must(d.msg[0] && access(out, F_OK));
	} else {
		check_file(out, &sum);
	}
	/* Temporary files are gone. */
	must(scratch_clear(scratch_dir()) == !err);
	close(fd);
	return 0;
}
