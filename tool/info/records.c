// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxrec info --records: one line per record.
 */
#include <linux/bpf.h>
#include <string.h>

#include "stream/read_raw.h"
#include "info/info.h"
#include "base/bytes.h"
#include "base/text.h"

static void print_name(FILE *f, const struct read_record *rec, size_t at,
		       size_t end)
{
	const char *s = (const char *)rec->hdr + at;

	if (at < end) {
		fputc(' ', f);
		read_print_text(f, s, end - at);
	}
}

/* Print number and name of each BPF program. */
static void print_bpf(FILE *f, struct read_bytes *b)
{
	__u32 nr = read_u32(b);

	for (; nr; nr--) {
		const __u32 info_len = read_u32(b), data_len = read_u32(b);
		struct bpf_prog_info info = { 0 };
		const void *p;

		read_u64(b);
		p = read_take(b, info_len);
		read_take(b, data_len);
		if (b->failed)
			return;
		memcpy(&info, p, info_len < sizeof(info) ? info_len :
							   sizeof(info));
		fprintf(f, " %u ", info.id);
		read_print_text(f, info.name, sizeof(info.name));
	}
}

static void print_btfs(FILE *f, struct read_bytes *b)
{
	__u32 nr = read_u32(b);

	for (; nr; nr--) {
		const __u32 id = read_u32(b), size = read_u32(b);

		read_take(b, size);
		if (b->failed)
			return;
		fprintf(f, " %u of %u bytes", id, size);
	}
}

static void print_feature(FILE *f, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	const __u64 id = read_u64(&b);

	if (b.failed)
		return;
	fprintf(f, " id %llu", id);
	if (id == REC_FEAT_BPF_PROG_INFO)
		print_bpf(f, &b);
	else if (id == REC_FEAT_BPF_BTF)
		print_btfs(f, &b);
}

static void print_user(FILE *f, const struct read_record *rec)
{
	const __u32 *w = read_body(rec);
	const __u64 *d = read_body(rec);
	size_t body = read_body_size(rec);

	switch (rec->type) {
	case REC_ATTR:
		if (body >= PERF_ATTR_SIZE_VER0)
			fprintf(f, " type %u attr.size %u config %#llx", w[0],
				w[1], d[1]);
		break;
	case REC_EVENT_UPDATE:
		if (body < 16)
			break;
		fprintf(f, " what %llu id %llu", d[0], d[1]);
		if (d[0] == REC_UPDATE_UNIT || d[0] == REC_UPDATE_NAME)
			print_name(f, rec, 24, rec->size);
		break;
	case REC_FEATURE:
		print_feature(f, rec);
		break;
	case REC_TRACING_DATA:
		fprintf(f, " and %llu bytes", rec->blob);
		break;
	case REC_BUILD_ID:
		print_name(f, rec, 36, rec->size);
		break;
	case REC_ID_INDEX:
	case REC_THREAD_MAP:
		if (body >= 8)
			fprintf(f, " nr %llu", d[0]);
		break;
	case REC_AUXTRACE_INFO:
		if (body >= 4)
			fprintf(f, " type %u", w[0]);
		break;
	case REC_AUXTRACE:
		if (body < 40)
			break;
		fprintf(f, " and %llu bytes, offset %#llx reference %llu", d[0],
			d[1], d[2]);
		fprintf(f, " idx %u tid %d cpu %d", w[6], (int)w[7], (int)w[8]);
		break;
	case REC_AUXTRACE_ERROR:
		if (body <= 40)
			break;
		fprintf(f, " code %#x cpu %d tid %d time %llu", w[1], (int)w[2],
			(int)w[4], d[4]);
		print_name(f, rec, 48, rec->size < 112 ? rec->size : 112);
		break;
	}
}

static void print_sample(FILE *f, const struct read_sample *s)
{
	struct auxrec_chunk h;

	fputc(' ', f);
	read_print_text(f, read_event_name(s->event), 60);
	if (s->has & PERF_SAMPLE_IP)
		fprintf(f, " ip %#llx", s->ip);
	if (s->has & PERF_SAMPLE_PERIOD)
		fprintf(f, " period %llu", s->period);
	if (s->has & PERF_SAMPLE_CALLCHAIN)
		fprintf(f, " chain %llu", s->nr_chain);
	if (!(s->has & PERF_SAMPLE_RAW))
		return;
	fprintf(f, " raw %u", s->raw_size);
	if (read_chunk(s, &h))
		fprintf(f, " span %llu: %u at %u of %u, to %llu", h.seq,
			h.length, h.offset, h.span_length, h.t_end);
}

static void print_kernel(FILE *f, const struct read_record *rec,
			 const struct read_sample *s)
{
	const __u32 *w = read_body(rec);
	const __u64 *d = read_body(rec);
	size_t end = s->rest + sizeof(*rec->hdr);

	switch (rec->type) {
	case PERF_RECORD_SAMPLE:
		print_sample(f, s);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		if (s->rest < 32)
			break;
		fprintf(f, " pid %d %#llx+%#llx pgoff %#llx", (int)w[0], d[1],
			d[2], d[3]);
		if (rec->type == PERF_RECORD_MMAP2) {
			if (rec->misc & REC_MISC_MMAP_BUILD_ID)
				fputs(" id", f);
			print_name(f, rec, REC_MMAP2_NAME, end);
		} else {
			print_name(f, rec, REC_MMAP_NAME, end);
		}
		break;
	case PERF_RECORD_COMM:
		if (s->rest < 8)
			break;
		fprintf(f, " of %d/%d", (int)w[0], (int)w[1]);
		print_name(f, rec, 16, end);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		if (s->rest >= 16)
			fprintf(f, " %d/%d parent %d/%d", (int)w[0], (int)w[2],
				(int)w[1], (int)w[3]);
		break;
	case PERF_RECORD_LOST:
		if (s->rest >= 16)
			fprintf(f, " id %llu lost %llu", d[0], d[1]);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		if (s->rest >= 8)
			fprintf(f, " lost %llu", d[0]);
		break;
	case PERF_RECORD_AUX:
		if (s->rest >= 24)
			fprintf(f, " offset %#llx size %#llx flags %#llx", d[0],
				d[1], d[2]);
		break;
	case PERF_RECORD_KSYMBOL:
		if (s->rest < 16)
			break;
		fprintf(f, " %#llx+%u", d[0], w[2]);
		print_name(f, rec, sizeof(*rec->hdr) + 16, end);
		break;
	case PERF_RECORD_CGROUP:
		if (s->rest < 8)
			break;
		fprintf(f, " id %llu", d[0]);
		print_name(f, rec, sizeof(*rec->hdr) + 8, end);
		break;
	}
}

void info_record(struct info *info, const struct read_record *rec,
		 const struct read_sample *s)
{
	FILE *f = info->out;

	fprintf(f, "%#llx%s %s size %u misc %#x", rec->offset,
		rec->inner ? "+" : "", read_type_name(rec->type), rec->size,
		rec->misc);
	if (rec->type >= REC_ATTR) {
		print_user(f, rec);
	} else if (!s) {
		fputs(" (does not parse)", f);
	} else {
		if ((s->has & PERF_SAMPLE_TIME) && s->time)
			fprintf(f, " time %llu", s->time);
		if (s->has & PERF_SAMPLE_TID)
			fprintf(f, " tid %d", (int)s->tid);
		if (s->has & PERF_SAMPLE_CPU)
			fprintf(f, " cpu %d", (int)s->cpu);
		print_kernel(f, rec, s);
	}
	fputc('\n', f);
}
