// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write a perf.data file: read the stream once, and decide where each record belongs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/parts.h"
#include "stream/read_sample.h"

/* A record of perf record -z since 6.16, which holds other records */
#define TYPE_COMPRESSED2	83

struct convert {
	const char *in_name;
	const char *out_name;
	struct read_stream *stream;
	struct pd_out out;
	struct pd_header header;
	struct pd_events events;
	struct pd_build_ids ids;
	struct pd_features features;
	struct perf_data_summary *sum;
	struct diag *d;
	__u8	buf[64 * 1024];
};

static int damaged(struct convert *c, const char *what)
{
	return diag(c->d, -EBADMSG, "%s", what);
}

static int out_of_memory(struct convert *c)
{
	return diag(c->d, -ENOMEM, "out of memory");
}

/* Write the events before the first record of the data. */
static void begin_data(struct convert *c)
{
	if (c->header.data.offset)
		return;
	pd_out_add(&c->out, &c->header, sizeof(c->header));
	pd_events_write(&c->events, &c->out, &c->header);
	c->header.data.offset = c->out.bytes;
}

static int add_record(struct convert *c, const struct read_record *rec)
{
	/* Readers of a file stop at such a record. */
	if (rec->size % 8)
		return damaged(c, "a record whose size is not a multiple of 8");
	begin_data(c);
	pd_out_add(&c->out, rec->hdr, rec->size);
	c->sum->records++;
	return 0;
}

static int add_event(struct convert *c, const struct read_record *rec)
{
	if (c->header.data.offset)
		return damaged(c, "an ATTR record after records of events");
	return pd_events_add(&c->events, rec, c->d);
}

static int add_update(struct convert *c, const struct read_record *rec)
{
	const int rc = read_attrs_update(&c->events.attrs, rec);
	__u64 type;

	if (rc == -ENOMEM)
		return out_of_memory(c);
	if (rc)
		return damaged(c, "a damaged EVENT_UPDATE record");
	/* The names are a feature. */
	memcpy(&type, read_body(rec), sizeof(type));
	return type == REC_UPDATE_NAME ? 0 : add_record(c, rec);
}

/* Return 0, -ENODATA if the stream ends within the data, or another error. */
static int read_part(struct convert *c, size_t *len)
{
	const ssize_t n = read_blob(c->stream, c->buf, sizeof(c->buf));

	*len = n > 0 ? n : 0;
	return n < 0 ? n : 0;
}

static int add_tracing(struct convert *c, const struct read_record *rec)
{
	size_t len;
	int err;

	if (rec->inner || c->features.tracing.bytes)
		return damaged(c, "a second TRACING_DATA record");
	for (;;) {
		err = read_part(c, &len);
		if (err)
			pd_spill_free(&c->features.tracing);
		if (err || !len)
			return err;
		err = pd_spill_add(&c->features.tracing, c->out_name, c->buf, len, c->d);
		if (err)
			return err;
	}
}

static int add_blob(struct convert *c)
{
	size_t len;
	int err;

	do {
		err = read_part(c, &len);
		pd_out_add(&c->out, c->buf, len);
	} while (!err && len && !c->out.err);
	return err ?: c->out.err;
}

static int add_aux(struct convert *c, const struct read_record *rec)
{
	const struct rec_auxtrace *aux = (const void *)rec->hdr;
	__u64 begin;
	int err;

	if (rec->inner || rec->size < sizeof(*aux) || rec->blob % 8)
		return damaged(c, "a damaged AUXTRACE record");
	begin_data(c);
	begin = c->out.bytes;
	c->features.has_aux = true;
	err = add_record(c, rec);
	if (err)
		return err;
	err = add_blob(c);
	if (err) {
		pd_out_cut(&c->out, begin);
		c->sum->records--;
		return err;
	}
	pd_features_time(&c->features, aux->reference, false);
	c->sum->aux_bytes += rec->blob;
	return pd_features_aux(&c->features, rec, begin, c->out_name, c->d);
}

/* Add an instruction pointer to a sample, 0, behind its id. See pd_events_needs_ip(). */
static int add_with_ip(struct convert *c, const struct read_record *rec)
{
	static const __u64 ip;
	const size_t before = sizeof(*rec->hdr) + sizeof(__u64);
	struct perf_event_header h = *rec->hdr;

	if (rec->size < before || rec->size % 8 || rec->size > REC_SIZE_MAX - sizeof(ip))
		return damaged(c, "a damaged SAMPLE record of a bpf-output event");
	h.size += sizeof(ip);
	begin_data(c);
	pd_out_add(&c->out, &h, sizeof(h));
	pd_out_add(&c->out, rec->hdr + 1, before - sizeof(h));
	pd_out_add(&c->out, &ip, sizeof(ip));
	pd_out_add(&c->out, (const char *)rec->hdr + before, rec->size - before);
	c->sum->records++;
	return 0;
}

/* A record of the kernel, or one that looks like it */
static int add_kernel(struct convert *c, const struct read_record *rec)
{
	const bool sample = rec->type == PERF_RECORD_SAMPLE;
	struct read_sample s = { .event = NULL };
	int err = read_sample(&c->events.attrs, rec, &s);

	if (!err && (s.has & PERF_SAMPLE_TIME))
		pd_features_time(&c->features, s.time, sample);
	if (sample && s.event && pd_events_needs_ip(&s.event->attr))
		return add_with_ip(c, rec);
	err = rec->type == PERF_RECORD_MMAP2 ? pd_build_ids_map(&c->ids, rec, c->d) : 0;
	return err ?: add_record(c, rec);
}

static int add(struct convert *c, const struct read_record *rec)
{
	switch (rec->type) {
	case REC_ATTR:
		return add_event(c, rec);
	case REC_EVENT_TYPE:
		return 0;
	case REC_TRACING_DATA:
		return add_tracing(c, rec);
	case REC_BUILD_ID:
		return pd_build_ids_record(&c->ids, rec, c->d);
	case REC_AUXTRACE_INFO:
		c->features.has_aux = true;
		return add_record(c, rec);
	case REC_AUXTRACE:
		return add_aux(c, rec);
	case REC_EVENT_UPDATE:
		return add_update(c, rec);
	case REC_FEATURE:
		return pd_features_add(&c->features, rec, c->out_name, c->d);
	case REC_COMPRESSED:
		if (rec->inner)
			return damaged(c, "a COMPRESSED record within another");
		return read_inflate(c->stream) ? out_of_memory(c) : 0;
	case TYPE_COMPRESSED2:
		return diag(c->d, -EOPNOTSUPP,
			    "records of type %u, which perf record -z writes: record without -z",
			    TYPE_COMPRESSED2);
	}
	return rec->type < REC_ATTR ? add_kernel(c, rec) : add_record(c, rec);
}

/* Return 0 at the end, -ENODATA if the stream is cut, or another error. */
static int add_all(struct convert *c)
{
	struct read_record rec;
	int rc = read_header(c->stream);

	if (rc == -EBADMSG || (rc == -EPROTO && read_problem(c->stream)))
		return damaged(c, read_problem(c->stream));
	while (rc > 0) {
		rc = read_next(c->stream, &rec);
		if (rc > 0)
			rc = add(c, &rec) ?: c->out.err ?: 1;
		else if (rc == -EBADMSG)
			damaged(c, "an impossible record");
		else if (rc == -EPROTO)
			rc = damaged(c, read_problem(c->stream) ?:
				     "damaged data in a COMPRESSED record");
	}
	return rc;
}

/* Add to the message of an error where it is. */
static int add_place(struct convert *c, int err)
{
	char what[sizeof(c->d->msg)];

	if (c->out.err)
		return diag(c->d, err, "cannot write %s: %s", c->out_name, strerror(-err));
	if (!c->d->msg[0])
		return diag(c->d, err, "cannot read %s: %s", c->in_name, strerror(-err));
	if (err != -EBADMSG && err != -EOPNOTSUPP)
		return err;
	memcpy(what, c->d->msg, sizeof(what));
	return diag(c->d, err, "%s: at offset %llu: %s", c->in_name,
		    (unsigned long long)read_cut(c->stream), what);
}

static int finish(struct convert *c)
{
	int err;

	if (!c->events.nr)
		return diag(c->d, -EBADMSG, "%s: has no events: auxrec check says more",
			    c->in_name);
	begin_data(c);
	c->header.data.size = c->out.bytes - c->header.data.offset;
	err = pd_features_write(&c->features, &c->events, &c->ids, &c->out, &c->header, c->d);
	pd_out_patch(&c->out, 0, &c->header, sizeof(c->header));
	c->sum->bytes = c->out.bytes;
	c->sum->events = c->events.nr;
	c->sum->build_ids = c->ids.nr;
	return err;
}

static int convert(struct convert *c, int in)
{
	int err = pd_out_open(&c->out, c->out_name, in, c->d);

	if (err)
		return err;
	err = add_all(c);
	if (err == -ENODATA) {
		c->sum->cut = true;
		c->sum->cut_at = read_cut(c->stream);
		err = 0;
	} else if (err) {
		err = add_place(c, err);
	}
	if (!err)
		err = finish(c);
	return pd_out_close(&c->out, err, c->d);
}

int perf_data_write(int in, const char *in_name, const char *out,
		    struct perf_data_summary *sum, struct diag *d)
{
	struct convert *c = calloc(1, sizeof(*c));
	int err;

	*sum = (struct perf_data_summary){ .cut = false };
	d->msg[0] = 0;
	if (!c)
		return diag(d, -ENOMEM, "out of memory");
	c->in_name = in_name;
	c->out_name = out;
	c->header.magic = REC_MAGIC;
	c->header.size = sizeof(c->header);
	c->sum = sum;
	c->d = d;
	c->out.fd = -1;
	c->stream = read_open(read_fill_fd, &in);
	err = c->stream ? convert(c, in) : diag(d, -ENOMEM, "out of memory");
	read_close(c->stream);
	pd_events_free(&c->events);
	pd_build_ids_free(&c->ids);
	pd_features_free(&c->features);
	free(c);
	return err;
}
