/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records that describe what existed before the recording. They tell readers
 * everything before readers need it. All functions return 0 or -errno of the stream.
 * Records are left out if the machine does not give their data.
 */
#ifndef AUXREC_SYNTH_H
#define AUXREC_SYNTH_H

#include "stream/records.h"
#include "session/session.h"

/* The functions are in the order of the stream. */

/* synth/event.c */
int synth_attrs(struct session *s);
/* Return how many ATTRs synth_attrs() writes for an event. */
size_t synth_nr_attrs(const struct sev *sev);
/* synth/feature.c */
int synth_features(struct session *s);
/* synth/tracing.c */
int synth_tracing_data(struct session *s, struct diag *d);
/* synth/event.c */
int synth_time_conv(struct session *s);
int synth_id_index(struct session *s);
/* synth/aux.c */
int synth_auxtrace_info(struct session *s);
/* synth/kernel.c */
int synth_kernel(struct session *s);
/* Describe a module that was loaded while recording. */
int synth_module(struct session *s, const struct perfaux_notice *n,
		 const char *name);
/* synth/event.c */
int synth_event_updates(struct session *s);
int synth_thread_map(struct session *s);
int synth_cpu_map(struct session *s);
/* synth/bpf.c */
int synth_bpf(struct session *s);
/* synth/cgroup.c */
int synth_cgroups(struct session *s);
/* synth/task.c */
int synth_tasks(struct session *s);

/* synth/synth.c */

/* Write the records that describe the recording, not what the machine runs. */
int synth_setup(struct session *s, struct diag *d);

/* Write all of the above and FINISHED_INIT. */
int synth_all(struct session *s, struct diag *d);

int synth_identity(struct session *s);
/* Read an id of this machine or this boot, or set @id to "" if there is none. */
#define SYNTH_ID_SIZE	64
void synth_machine_id(char id[SYNTH_ID_SIZE]);
void synth_boot_id(char id[SYNTH_ID_SIZE]);

/* Set @to->wall and @to->time to the present time. */
struct rec_clock_data;
void synth_clock_times(struct rec_clock_data *to);

#endif /* AUXREC_SYNTH_H */
