// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of auxrec merge: merge snapshots of a made-up machine whose whole history is known. The
 * merged stream has every record once if a snapshot has all records of its time, and AUX data
 * byte for byte. It depends neither on the order of the files nor on earlier merges.
 *
 * test_merge [SEED]
 *
 * test_merge -o DIR: write snapshot0 ... to DIR, and to "lines0" what perf script must print of
 * them when they are merged: the time and number of each sample
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../rounds.h"
#include "../../tap.h"
#include "check/check.h"
#include "stream/aux_chunk.h"
#include "merge/merge.h"
#include "stream/payload.h"
#include "stream/read_snapshot.h"
#include "scratch.h"
#include "world.h"

#define ALL	((1U << MAX_SNAPSHOTS) - 1)

static char dir[64];
static const char *wrong;
static unsigned long long nr_rounds, merges, holes, raw_holes, covered_files;

static const char *file(const char *name, int nr)
{
	static char text[128][128];
	static int next;

	next = (next + 1) % 128;
	snprintf(text[next], sizeof(text[0]), "%s/%s%d", dir, name, nr);
	return text[next];
}

/* --- look at a merged stream ------------------------------------------------ */

struct queue {
	uint32_t idx, tid, cpu;
	uint64_t end;
	size_t last;		/* the span after the queue's last one */
};

struct seen {
	const struct world *w;
	struct read_attrs attrs;
	bool init, primer;
	uint8_t samples[MAX_THINGS], sides[MAX_THINGS];
	uint8_t build_ids[MAX_THINGS], types[MAX_THINGS];
	uint32_t spans[MAX_THINGS];	/* bytes; 1 for a gap */
	uint8_t raws[MAX_THINGS];	/* bytes */
	uint64_t cpu_time[CPUS];
	struct model told;
	struct queue queue[64];
	unsigned int nr_queues;
	const struct world_span *flagged;	/* its AUX is the next record */
	uint64_t flagged_at;
	uint32_t marks;		/* a bit for each snapshot's number */
	uint64_t payload;	/* number of the last payload */
	uint64_t payload_of;	/* the sample that it belongs to */
};

static void see_sample(struct seen *v, const struct read_sample *s)
{
	const uint64_t nr = s->ip;
	struct auxrec_payload h;

	if (nr > v->w->nr_samples || v->w->sample_time[nr] != s->time) {
		wrong = "a sample that was none";
		return;
	}
	v->samples[nr]++;
	if (s->time < v->cpu_time[s->cpu])
		wrong = "samples of a CPU are not in order";
	v->cpu_time[s->cpu] = s->time;
	if (!s->raw)
		return;
	memcpy(&h, s->raw, sizeof(h));
	if (h.number != v->payload + 1)
		wrong = "payloads are not numbered one after the other";
	v->payload = h.number;
	v->payload_of = nr;
}

static void see_raw(struct seen *v, const struct read_sample *s,
		    const struct auxrec_payload *h)
{
	uint64_t nr;

	memcpy(&nr, s->raw + sizeof(*h), sizeof(nr));
	if (nr >= v->w->nr_raws || v->w->raw[nr].time != s->time ||
	    v->raws[nr] != h->offset)
		wrong = "raw data that was none, or not in order";
	else
		v->raws[nr] += h->length;
	if (!h->offset && h->number != ++v->payload)
		wrong = "raw data is not numbered one after the other";
}

static void see_part(struct seen *v, const struct read_sample *s)
{
	struct auxrec_payload h;
	uint32_t i;

	memcpy(&h, s->raw, sizeof(h));
	if (!h.id) {
		see_raw(v, s, &h);
		return;
	}
	if (h.number != v->payload)
		wrong = "a part has another number than its sample";
	for (i = 0; i < h.length; i++)
		if (s->raw[sizeof(h) + i] != (uint8_t)(v->payload_of + h.offset + i))
			wrong = "a part of a payload has other data";
}

static void see_span(struct seen *v, size_t nr, uint32_t at, const uint8_t *data,
		     uint32_t length)
{
	uint32_t i;

	for (i = 0; i < length; i++)
		if (data[i] != world_byte(nr, at + i))
			wrong = "AUX data differ";
	v->spans[nr] += length;
}

static void see_chunk(struct seen *v, const struct read_sample *s)
{
	struct auxrec_chunk h;

	memcpy(&h, s->raw, sizeof(h));
	if (h.seq > v->w->nr_spans)
		wrong = "a chunk of no span";
	else
		see_span(v, h.seq - 1, h.offset, s->raw + sizeof(h), h.length);
}

static struct queue *queue_of(struct seen *v, const struct rec_auxtrace *a)
{
	unsigned int i;

	for (i = 0; i < v->nr_queues; i++)
		if (v->queue[i].tid == a->tid && v->queue[i].cpu == a->cpu)
			return &v->queue[i];
	v->queue[i] = (struct queue){ i, a->tid, a->cpu, 0, 0 };
	v->nr_queues++;
	return &v->queue[i];
}

static void see_auxtrace(struct seen *v, struct read_stream *stream,
			 const struct read_record *rec)
{
	const struct rec_auxtrace a = *(const struct rec_auxtrace *)rec->hdr;
	struct queue *q = queue_of(v, &a);
	static uint8_t data[65536];
	size_t i;

	if (a.idx != q->idx || a.offset != q->end)
		wrong = "an AUXTRACE is not where its queue ends";
	q->end += a.size;
	if (a.size > sizeof(data) || read_blob(stream, data, a.size) != (ssize_t)a.size)
		abort();
	if (!v->primer) {
		v->primer = true;
		if (a.size != 16)
			wrong = "no 16 bytes for perf 6.1";
		return;
	}
	for (i = q->last; i < v->w->nr_spans; i++) {
		const struct world_span *s = &v->w->span[i];

		if (s->begin != a.reference || s->length != a.size ||
		    (a.tid == -1U ? s->cpu != a.cpu : s->tid != a.tid))
			continue;
		q->last = i + 1;
		see_span(v, i, 0, data, a.size);
		v->flagged = s->flags ? s : NULL;
		v->flagged_at = a.offset;
		return;
	}
	wrong = "an AUXTRACE of no span, or not in order";
}

static void see_aux(struct seen *v, const struct read_record *rec)
{
	const struct rec_aux *aux = (const void *)rec->hdr;

	if (aux->flags & PERF_AUX_FLAG_TRUNCATED)
		return;
	if (!v->flagged || aux->offset != v->flagged_at || aux->flags != v->flagged->flags)
		wrong = "an AUX without its span";
	v->flagged = NULL;
}

static void see_gap(struct seen *v, const struct read_record *rec)
{
	const struct rec_auxtrace_error *e = (const void *)rec->hdr;
	size_t i;

	for (i = 0; i < v->w->nr_spans; i++)
		if (!v->w->span[i].length && v->w->span[i].begin == e->time &&
		    (v->w->span[i].nobody ? -1U : v->w->span[i].cpu) == e->cpu)
			v->spans[i]++;
}

static void see_side(struct seen *v, const struct read_record *rec,
		     const struct read_sample *s)
{
	history_learn(&v->told, rec->hdr);
	if (v->init && s->pid < MAX_THINGS && v->w->side_time[s->pid] == s->time)
		v->sides[s->pid]++;
}

static void see_kernel(struct seen *v, const struct read_record *rec)
{
	struct read_snapshot mark;
	struct read_sample s;

	if (read_sample(&v->attrs, rec, &s)) {
		wrong = "a record does not parse";
		return;
	}
	if (rec->type == PERF_RECORD_AUX) {
		see_aux(v, rec);
		return;
	}
	if (v->flagged)
		wrong = "the AUX of a span is missing";
	if (rec->type != PERF_RECORD_SAMPLE)
		see_side(v, rec, &s);
	else if (s.id < ID_AUX)
		see_sample(v, &s);
	else if (s.id == ID_PAYLOAD)
		see_part(v, &s);
	else if (s.id == ID_CHUNK)
		see_chunk(v, &s);
	else if (read_snapshot(&s, &mark))
		wrong = "a snapshot's sample is damaged";
	else
		v->marks |= 1U << (mark.h.number - 1);
}

static void see_user(struct seen *v, struct read_stream *stream,
		     const struct read_record *rec)
{
	const uint8_t *body = read_body(rec);
	uint64_t id;

	memcpy(&id, body, sizeof(id));
	switch (rec->type) {
	case REC_ATTR:
		if (read_attrs_add(&v->attrs, rec))
			wrong = "an ATTR does not parse";
		break;
	case REC_FINISHED_INIT:
		v->init = true;
		break;
	case REC_AUXTRACE:
		see_auxtrace(v, stream, rec);
		break;
	case REC_AUXTRACE_ERROR:
		see_gap(v, rec);
		break;
	case REC_BUILD_ID:
		v->build_ids[body[4] | body[5] << 8]++;
		break;
	case REC_FEATURE:
		if (id == REC_FEAT_BPF_BTF)
			v->types[body[12] | body[13] << 8]++;
		break;
	case REC_FINISHED_ROUND:
		nr_rounds++;
		break;
	}
}

static void see_all(struct seen *v, const char *path)
{
	int fd = open(path, O_RDONLY), rc;
	struct read_stream *stream = read_open(read_fill_fd, &fd);
	struct read_record rec;

	rc = read_header(stream);
	while (rc > 0) {
		rc = read_next(stream, &rec);
		if (rc <= 0)
			break;
		if (rec.type < REC_ATTR)
			see_kernel(v, &rec);
		else
			see_user(v, stream, &rec);
	}
	if (rc)
		wrong = "the merged stream cannot be read";
	read_close(stream);
	close(fd);
	read_attrs_free(&v->attrs);
}

/* --- compare it with the world ---------------------------------------------- */

/* Return how many snapshots of @set have all records of @time. */
static int complete(const struct world *w, uint32_t set, uint64_t time)
{
	unsigned int i;
	int n = 0;

	for (i = 0; i < w->nr_snapshots; i++)
		n += set & 1U << i && time >= w->snapshot[i].begin &&
		     time <= w->snapshot[i].settled;
	return n;
}

/* Likewise for the snapshots from number @first on; 0: no snapshot has the record. */
static int has_all(const struct world *w, uint32_t set, uint64_t time, unsigned int first)
{
	return first && first <= MAX_SNAPSHOTS ?
	       complete(w, set >> (first - 1) << (first - 1), time) : 0;
}

static bool in_snapshot(const struct world *w, uint32_t set, size_t span)
{
	unsigned int i;

	for (i = 0; i < w->nr_snapshots; i++)
		if (set & 1U << i && span >= w->snapshot[i].first_span &&
		    span < w->snapshot[i].end_span &&
		    w->span[span].end >= w->snapshot[i].begin)
			return true;
	return false;
}

static void compare_records(const struct seen *v, uint32_t set)
{
	const struct world *w = v->w;
	uint32_t i;

	for (i = 1; i <= w->nr_samples; i++)
		if (v->samples[i] > 1)
			wrong = "a sample is there twice";
		else if (!v->samples[i] &&
			 has_all(w, set, w->sample_time[i], w->sample_read[i]))
			wrong = "a sample is missing";
	for (i = 1; i <= w->nr_sides; i++)
		if (v->sides[i] > 1 && complete(w, set, w->side_time[i]))
			wrong = "sideband is there twice";
		else if (!v->sides[i] && has_all(w, set, w->side_time[i], w->side_read[i]))
			wrong = "sideband is missing";
}

static void compare_spans(const struct seen *v, uint32_t set)
{
	const struct world *w = v->w;
	size_t i;

	for (i = 0; i < w->nr_spans; i++) {
		const uint32_t want = !in_snapshot(w, set, i) ? 0 :
				      w->span[i].length ? w->span[i].length : 1;

		if (v->spans[i] > want)
			wrong = want ? "a span or gap is there twice" : "an unknown span";
		else if (v->spans[i] < want)
			wrong = "a span or gap is missing";
	}
}

static void compare_raws(const struct seen *v, uint32_t set)
{
	const struct world *w = v->w;
	unsigned int j;
	size_t i;

	for (i = 0; i < w->nr_raws; i++) {
		bool there = false;

		for (j = 0; j < w->nr_snapshots; j++)
			there |= set & 1U << j && i >= w->snapshot[j].first_raw &&
				 i < w->snapshot[j].end_raw;
		if (v->raws[i] != there * 16)
			wrong = "raw data of a producer not once";
	}
}

static void compare_rest(const struct seen *v, uint32_t set)
{
	const struct world *w = v->w;
	uint64_t once = 0, i;
	uint32_t marks = 0;

	for (i = 0; i < w->nr_snapshots; i++) {
		if (!(set & 1U << i))
			continue;
		marks |= 1U << i;
		if (w->snapshot[i].once > once)
			once = w->snapshot[i].once;
	}
	if (v->marks != marks)
		wrong = "not the snapshots' samples";
	for (i = 1; i < MAX_THINGS; i++) {
		const unsigned int times = i <= once;

		if (v->build_ids[i] != times || v->types[i] != times)
			wrong = "a BUILD_ID or a program's types not once";
	}
}

/* Compare the holes between the first and the last time that a snapshot has. */
static void compare_holes(const struct world *w, uint32_t set,
			  const struct merge_summary *sum)
{
	uint64_t begin = ~0ULL, end = 0, time, missing = 0, said = 0;
	size_t i;

	for (i = 0; i < w->nr_snapshots; i++) {
		if (!(set & 1U << i))
			continue;
		if (w->snapshot[i].begin < begin)
			begin = w->snapshot[i].begin;
		if (w->snapshot[i].settled > end)
			end = w->snapshot[i].settled;
	}
	if (begin < 1000)
		begin = 1000;
	for (time = begin; time <= end; time++)
		missing += !complete(w, set, time);
	for (i = 0; i < sum->nr_holes; i++) {
		said += sum->holes[i].end - sum->holes[i].begin + 1;
		if (complete(w, set, sum->holes[i].begin) ||
		    complete(w, set, sum->holes[i].end))
			wrong = "a hole is none";
	}
	if (said != missing)
		wrong = "holes are not what is missing";
	holes += sum->nr_holes;
}

/*
 * Return how many segments between the first and the last one are in no snapshot. A snapshot
 * without segments tells between which segments it is.
 */
static uint64_t missing_segments(const struct world *w, uint32_t set)
{
	static uint8_t there[MAX_THINGS + 2];
	uint64_t first = ~0ULL, last = 0, nr, missing = 0;
	size_t i;

	memset(there, 0, sizeof(there));
	for (i = 0; i < w->nr_snapshots; i++) {
		const struct world_snapshot *s = &w->snapshot[i];

		if (!(set & 1U << i))
			continue;
		for (nr = s->raw_first; nr <= s->raw_last; nr++)
			there[nr] = 1;
		if (s->raw_first < first)
			first = s->raw_first;
		if (s->raw_last > last)
			last = s->raw_last;
	}
	for (nr = first; nr <= last; nr++)
		missing += !there[nr];
	return missing;
}

static void compare_raw_holes(const struct world *w, uint32_t set,
			      const struct merge_summary *sum)
{
	uint64_t said = 0;
	size_t i;

	for (i = 0; i < sum->nr_raw_holes; i++) {
		const struct merge_hole *h = &sum->raw_holes[i];
		const struct world_snapshot *a = &w->snapshot[h->before - 1];
		const struct world_snapshot *b = &w->snapshot[h->after - 1];

		if (h->begin != a->raw_end || h->end < h->begin ||
		    (h->end > h->begin && h->end != b->raw_begin))
			wrong = "a hole in the raw ring's data is somewhere else";
		said += b->raw_first - a->raw_last - 1;
	}
	if (said != missing_segments(w, set))
		wrong = "holes in the raw ring's data are not what is missing";
	raw_holes += sum->nr_raw_holes;
}

static void check_valid(const char *path)
{
	struct check c = { .max = 10, .out = stdout };
	int fd = open(path, O_RDONLY);

	if (check_stream(&c, read_fill_fd, &fd) != CHECK_VALID || c.note)
		wrong = "auxrec check does not find it valid";
	check_free(&c);
	close(fd);
}

static bool same_files(const char *a, const char *b)
{
	static char x[1 << 20], y[1 << 20];
	FILE *f = fopen(a, "r"), *g = fopen(b, "r");
	size_t n, m;

	if (!f || !g)
		abort();
	do {
		n = fread(x, 1, sizeof(x), f);
		m = fread(y, 1, sizeof(y), g);
	} while (n == m && n && !memcmp(x, y, n));
	fclose(f);
	fclose(g);
	return !n && !m;
}

/* --- merging --------------------------------------------------------------- */

/* Merge the snapshots of @set and the file @more, in random order. */
static void merge(const struct world *w, uint32_t set, const char *more, const char *out,
		  struct merge_summary *sum)
{
	char *path[MAX_SNAPSHOTS + 1] = { NULL };
	struct diag d = { "" };
	size_t nr = 0, i;

	for (i = 0; i < w->nr_snapshots; i++)
		if (set & 1U << i)
			path[nr++] = strdup(file("snapshot", i));
	if (more)
		path[nr++] = strdup(more);
	for (i = nr; i > 1; i--) {
		const size_t j = history_rnd(i);
		char *swap = path[j];

		path[j] = path[i - 1];
		path[i - 1] = swap;
	}
	if (merge_streams(path, nr, out, sum, &d)) {
		printf("# %s\n", d.msg);
		wrong = "it cannot be merged";
	}
	merges++;
	for (i = 0; i < nr; i++)
		free(path[i]);
}

static void try_set(const struct world *w, uint32_t set)
{
	const char *out = file("merged", 0), *again = file("merged", 1);
	struct seen *v = calloc(1, sizeof(*v));
	const uint32_t some = set & history_rnd(ALL + 1);
	struct merge_summary sum;

	merge(w, set, NULL, out, &sum);
	if (!v)
		abort();
	v->w = w;
	if (!wrong)
		check_valid(out);
	if (!wrong)
		see_all(v, out);
	if (!wrong)
		compare_records(v, set);
	if (!wrong)
		compare_spans(v, set);
	if (!wrong)
		compare_raws(v, set);
	if (!wrong)
		compare_rest(v, set);
	if (!wrong)
		compare_holes(w, set, &sum);
	if (!wrong)
		compare_raw_holes(w, set, &sum);
	/* If nothing is missing, a reader knows the true state at the stream's end. */
	if (!wrong && !sum.nr_holes && !w->late && !w->stopped && set >> (w->nr_snapshots - 1) &&
	    !history_same(&w->all, &v->told))
		wrong = "a reader of all records has another state";
	/* A reader knows the kernel's true code at the end, even if earlier records are missing. */
	if (!wrong && !w->late && !w->stopped && set >> (w->nr_snapshots - 1) &&
	    memcmp(w->all.code, v->told.code, sizeof(v->told.code)))
		wrong = "a reader of all records has other code";
	merge_summary_free(&sum);
	free(v);
	if (!wrong) {
		merge(w, set, out, again, &sum);
		covered_files += sum.left_out;
		if (!wrong && !same_files(out, again))
			wrong = "merging it again gives another one";
		merge_summary_free(&sum);
	}
	if (!wrong && some) {
		const char *part = file("merged", 2);

		merge(w, some, NULL, part, &sum);
		merge_summary_free(&sum);
		if (wrong)
			return;
		merge(w, set & ~(some & history_rnd(ALL + 1)), part, again, &sum);
		merge_summary_free(&sum);
		if (!wrong && !same_files(out, again))
			wrong = "merging a merged one gives another one";
	}
}

/* Make a recording with snapshots at random times, and merge them. */
static void try_world(struct world *w)
{
	const int passes = 20 + history_rnd(40), often = 2 + history_rnd(10);
	int i;

	world_begin(w);
	for (i = 0; i < passes; i++) {
		world_pass(w);
		if (i < passes - 1 && (history_rnd(often) ||
				       w->nr_snapshots == MAX_SNAPSHOTS - 1))
			continue;
		world_snapshot(w, file("snapshot", w->nr_snapshots));
		check_valid(file("snapshot", w->nr_snapshots - 1));
	}
	if (!wrong)
		try_set(w, (1U << w->nr_snapshots) - 1);
	for (i = 0; !wrong && i < 4; i++) {
		const uint32_t set = history_rnd(1U << w->nr_snapshots);

		if (set)
			try_set(w, set);
	}
	world_end(w);
}

static void try(const char *what, const struct world *settings, uint64_t first)
{
	struct world *w = NULL;
	const int n = rounds(12);
	int i;

	wrong = NULL;
	for (i = 0; i < n && !wrong; i++) {
		free(w);
		w = calloc(1, sizeof(*w));
		if (!w)
			abort();
		*w = *settings;
		history_seed = first + i;
		try_world(w);
	}
	if (wrong)
		printf("# SEED=%llu: %s\n", (unsigned long long)first + i - 1, wrong);
	tap_report(!wrong, "%s", what);
	free(w);
}

static void try_settings(const char *limits, const struct world *w, uint64_t first)
{
	static const char * const kinds[] = { "queues of tasks", "queues of CPUs", "chunks" };
	char what[128];

	snprintf(what, sizeof(what), "%s, %s%s%s%s%s", limits, kinds[w->aux],
		 w->late ? ", one CPU is late" : "", w->stopped ? ", some are stopped" : "",
		 w->release ? ", spans are released" : "", w->pre ? ", some want less" : "");
	try(what, w, first);
}

static void clean(void)
{
	int i;

	for (i = 0; i < MAX_SNAPSHOTS; i++) {
		unlink(file("snapshot", i));
		unlink(file("merged", i));
	}
	rmdir(dir);
}

/* Write the files for stock perf, without a trace that perf would have to decode. */
static int write_files(const char *to)
{
	static struct world w = { .aux = AUX_SAMPLES, .limits = { 100000, 300 } };
	FILE *f;
	int i;

	snprintf(dir, sizeof(dir), "%s", to);
	history_seed = 5;
	world_begin(&w);
	for (i = 0; i < 60; i++) {
		world_pass(&w);
		/* Leave a hole between two snapshots. */
		if (i % 5 == 4 && (i < 20 || i > 40))
			world_snapshot(&w, file("snapshot", w.nr_snapshots));
	}
	f = fopen(file("lines", 0), "w");
	if (!f)
		return 2;
	for (i = 1; i <= (int)w.nr_samples; i++)
		if (complete(&w, ALL, w.sample_time[i]))
			fprintf(f, "0.%09llu: %x\n", (unsigned long long)w.sample_time[i], i);
	world_end(&w);
	return fclose(f) ? 2 : 0;
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	static const struct recent_limits limits[] = {
		{ .memory = 8 << 20 }, { .memory = 100000 },
		{ .memory = 8 << 20, .window = 200 },
	};
	static const char * const names[] = { "room for all", "little room", "a window" };
	static struct world settings;
	unsigned int l, a, f;

	if (argc > 2 && !strcmp(argv[1], "-o"))
		return write_files(argv[2]);
	if (scratch_dir(dir, sizeof(dir), "test_merge"))
		return 2;
	for (l = 0; l < 3; l++)
		for (a = 0; a < 3; a++)
			for (f = 0; f < 12; f++) {
				/*
				 * Stopped CPUs have nothing to do with AUX data: try them with
				 * one kind only.
				 */
				if (f >= 8 && a != AUX_SAMPLES)
					continue;
				settings = (struct world){
					.aux = a, .limits = limits[l], .late = f < 8 && f & 1,
					.release = f & 2, .pre = f < 8 ? f & 4 : f & 1,
					.stopped = f >= 8,
				};
				try_settings(names[l], &settings, first);
			}
	printf("# %llu merges, %llu holes, %llu of the raw ring, %llu rounds, %llu files left out\n",
	       merges, holes, raw_holes, nr_rounds, covered_files);
	clean();
	tap_report(holes && raw_holes && covered_files && nr_rounds > merges / 2, "all of it was tried");
	return tap_end();
}
