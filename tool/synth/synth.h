/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that describe what was there before the recording: everything that
 * a reader needs to know, before it needs it. All return 0 or -errno of the
 * stream; what the machine does not tell is left out.
 */
#ifndef AUXREC_SYNTH_H
#define AUXREC_SYNTH_H

#include "stream/records.h"
#include "session/session.h"

/* In the order of the stream. */
int synth_attrs(struct session *s);
/* How many ATTRs an event has there. */
size_t synth_nr_attrs(const struct sev *sev);
int synth_features(struct session *s);
int synth_tracing_data(struct session *s, struct diag *d);
int synth_time_conv(struct session *s);
int synth_id_index(struct session *s);
int synth_auxtrace_info(struct session *s);
int synth_kernel(struct session *s);
/* One that was loaded while recording. */
int synth_module(struct session *s, const struct perfaux_notice *n,
		 const char *name);
int synth_event_updates(struct session *s);
int synth_thread_map(struct session *s);
int synth_cpu_map(struct session *s);
int synth_bpf(struct session *s);
int synth_cgroups(struct session *s);
int synth_tasks(struct session *s);

/* Of these: what the recording is, not what the machine runs. */
int synth_setup(struct session *s, struct diag *d);

/* All of the above and FINISHED_INIT. */
int synth_all(struct session *s, struct diag *d);

#endif /* AUXREC_SYNTH_H */
