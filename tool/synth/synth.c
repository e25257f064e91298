// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the beginning of a stream: records that describe what existed before the recording, in the
 * right order.
 */
#include <errno.h>
#include <string.h>

#include "stream/records.h"
#include "synth/synth.h"

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

/* The order is the one that readers need: a record needs the records above it. */
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
