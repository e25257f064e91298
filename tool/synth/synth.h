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

/* A record that is put together piece by piece, at most REC_SIZE_MAX bytes. */
struct synth_rec {
	union {
		struct perf_event_header header;
		__u8 bytes[REC_SIZE_MAX + 8];
		__u64 align;
	};
	size_t len;
	bool too_long;
};

void synth_begin(struct synth_rec *r, __u32 type, __u16 misc);
void synth_add(struct synth_rec *r, const void *data, size_t len);
void synth_add_u16(struct synth_rec *r, __u16 v);
void synth_add_u32(struct synth_rec *r, __u32 v);
void synth_add_u64(struct synth_rec *r, __u64 v);
/* With its NUL, padded with zeros to a multiple of 8. */
void synth_add_name(struct synth_rec *r, const char *name);
/* Zeros: synthesized records have no time and belong to no event. */
void synth_add_sample_id(struct synth_rec *r);
/* Pads to 8 and writes; what is too long is left out (-E2BIG, no message). */
int synth_end(struct session *s, struct synth_rec *r);

#endif /* AUXREC_SYNTH_H */
