// SPDX-License-Identifier: GPL-2.0-only
/*
 * The beginning of a stream, and the means to build its records.
 */
#include <errno.h>
#include <string.h>

#include "stream/records.h"
#include "synth/synth.h"

void synth_begin(struct synth_rec *r, __u32 type, __u16 misc)
{
	r->header = (struct perf_event_header){ .type = type, .misc = misc };
	r->len = sizeof(r->header);
	r->too_long = false;
}

void synth_add(struct synth_rec *r, const void *data, size_t len)
{
	if (r->too_long || len > REC_SIZE_MAX - r->len) {
		r->too_long = true;
		return;
	}
	if (data)
		memcpy(r->bytes + r->len, data, len);
	else
		memset(r->bytes + r->len, 0, len);
	r->len += len;
}

void synth_add_u16(struct synth_rec *r, __u16 v)
{
	synth_add(r, &v, sizeof(v));
}

void synth_add_u32(struct synth_rec *r, __u32 v)
{
	synth_add(r, &v, sizeof(v));
}

void synth_add_u64(struct synth_rec *r, __u64 v)
{
	synth_add(r, &v, sizeof(v));
}

void synth_add_name(struct synth_rec *r, const char *name)
{
	size_t len = strlen(name) + 1;

	synth_add(r, name, len);
	synth_add(r, NULL, ALIGN8(len) - len);
}

void synth_add_sample_id(struct synth_rec *r)
{
	synth_add(r, NULL, sizeof(struct rec_sample_id));
}

int synth_end(struct session *s, struct synth_rec *r)
{
	synth_add(r, NULL, ALIGN8(r->len) - r->len);
	if (r->too_long)
		return -E2BIG;
	r->header.size = r->len;
	return stream_record(&s->out, r->bytes);
}

static int finished_init(struct session *s)
{
	const struct perf_event_header h = { REC_FINISHED_INIT, 0, sizeof(h) };

	return stream_record(&s->out, &h);
}

static int run_all(struct session *s, int (* const *list)(struct session *s), size_t nr)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < nr; i++)
		err = list[i](s);
	return err;
}

/* The order is that of readers: each needs what is above it. */
static int write_first(struct session *s, struct diag *d)
{
	static int (* const list[])(struct session *) = {
		synth_attrs, synth_features,
	};
	const int err = run_all(s, list, ARRAY_LEN(list));

	return err ?: synth_tracing_data(s, d);
}

int synth_setup(struct session *s, struct diag *d)
{
	static int (* const list[])(struct session *) = {
		synth_time_conv, synth_id_index, synth_auxtrace_info,
		synth_event_updates, synth_thread_map, synth_cpu_map,
	};
	const int err = write_first(s, d);

	return err ?: run_all(s, list, ARRAY_LEN(list));
}

int synth_all(struct session *s, struct diag *d)
{
	static int (* const list[])(struct session *) = {
		synth_time_conv, synth_id_index, synth_auxtrace_info,
		synth_kernel, synth_event_updates, synth_thread_map,
		synth_cpu_map, synth_bpf, synth_cgroups, synth_tasks, finished_init,
	};
	int err = write_first(s, d);

	if (!err)
		err = run_all(s, list, ARRAY_LEN(list));
	return err ?: stream_flush(&s->out);
}
