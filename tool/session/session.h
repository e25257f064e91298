/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording: what is recorded, the descriptors, the rings, the output.
 */
#ifndef AUXREC_SESSION_H
#define AUXREC_SESSION_H

#include <signal.h>

#include "base/cpus.h"
#include "event/aux.h"
#include "event/event.h"
#include "ring/mainring.h"
#include "session/mode.h"
#include "session/options.h"
#include "ring/perf_clock.h"
#include "ring/rawring.h"
#include "stream/write.h"

/* One perf event of one task and CPU (-1: any). */
struct opened {
	int fd;			/* -1: closed, its CPU went offline; records have its id */
	int cpu;
	pid_t tid;		/* -1: every task of the CPU */
	__u64 id;
	__u64 closed;		/* then: time of the newest record */
	__u64 lost;		/* records that did not fit, at the last look; see record/losses.c */
	__u64 untold;		/* of these: the stream does not tell of them yet */
};

/* An event of the stream: one ATTR. */
struct sev {
	struct perf_event_attr attr;
	const char *name;
	const struct auxrec_event *ev;	/* NULL: of our own making */
	enum aux_format aux;
	bool sideband;			/* the dummy that tracks tasks */
	bool kernel_dropped;		/* user space only, for want of rights */
	int group;			/* as in ev, -1: none (any more) */
	bool leader;
	struct opened *fds;
	size_t nr_fds;
	__u64 chunk_id;			/* of the chunks' event, AUX_CHUNKS */
	int map_fd;			/* of --bpf-map; 0: none */
	bool raw_ring;			/* raw data of its samples goes there */
	bool payloads;			/* the payload event, see stream/payload.h */
	bool snapshots;			/* the snapshot event, see stream/snapshot_mark.h */
	struct trigger *trigger;	/* its samples are, NULL: not */
	bool used_up;			/* it was, until its count= was reached */
};

/* Thread to AUXTRACE queue. */
struct queue {
	__u32 tid;		/* or the CPU with -a */
	__u32 idx;
	__u64 offset;		/* bytes so far */
};

struct queues {
	struct queue *list;
	size_t nr;
	__u32 *hash;		/* index into list + 1, 0: empty */
	size_t hash_size;	/* a power of two */
};

/* Gaps as they were written to the stream, per cause. */
struct gap_stats {
	__u64 count;
	__u64 attempts;
	__u64 time;		/* nanoseconds */
	__u64 bytes;
};

struct bpf_reader;
struct flight;
struct ids;
struct payloads;

struct session {
	const struct options *opt;
	const struct session_mode *mode;
	struct auxrec_events events;
	size_t nr_trigger_events;	/* of these, the first ones */
	struct sev *sev;
	size_t nr_sev;
	pid_t *tids;			/* what is recorded, -1: all */
	size_t nr_tids;
	struct cpus cpus;
	struct mainring *rings;		/* one per CPU */
	size_t nr_rings;
	bool have_raw;
	bool have_payloads;		/* some event has raw_ring */
	struct rawring raw;
	int bpf_ring_fd;		/* the map of --bpf-ring, else -1 */
	__u64 bpf_handle;		/* for it */
	bool bpf_ring_stored;
	struct payloads *payloads;
	struct queues queues;
	bool primed;			/* see write_primer() */
	struct stream out;
	struct main_stats main;
	struct perf_clock *clock;	/* of the records */
	bool clock_tried;		/* it was opened, or cannot be */
	bool discard;			/* the output failed: records are only counted */
	struct gap_stats gaps[16];
	/* rounds, see record/live.c */
	__u64 round_time;		/* largest time before the last round */
	__u64 flushed_time;		/* readers are done with all up to it */
	__u64 round_began;		/* now_ns(), as the next one */
	bool round_due;			/* it is too early for it */
	__u64 held_since;		/* 0: not held back */
	__u64 rounds;
	__u64 aux_bytes;
	__u64 spans;
	__u64 bad_spans;
	__u64 started;			/* now_ns() */
	__u64 stopped;
	pid_t child;			/* 0: none */
	int child_status;		/* of waitpid() */
	bool child_done;
	bool child_started;
	int go_fd;			/* the child waits for its closing */
	int exec_fd;			/* the child's errno of exec */
	int child_errno;		/* why it cannot be executed */
	const char *end_reason;
	int json_fd;			/* of --json=FILE, else -1 */
	bool kptr_hidden;
	bool raw_less;		/* than the raw ring's default: the memory limit */
	__u64 missing_build_ids;	/* of maps from before the recording */
	__u64 long_build_ids;
	struct ids *ids;
	bool ids_in_records;		/* the event that has the maps asks for ids */
	struct bpf_reader *bpf;
	bool bpf_settled;		/* as of this pass */
	__u64 recording;		/* number of a flight recorder, 0: none */
	struct flight *flight;		/* the mode's own; NULL: a live recording */
};

/*
 * What an event writes to the raw ring has its index in sev[] as cookie, behind a
 * number that programs which write to the ring too will not have chosen.
 */
#define SESSION_COOKIE		0x6175787265630000ULL
#define SESSION_COOKIE_NONE	(~0ULL)

static inline __u64 session_cookie_index(const struct session *s, __u64 cookie)
{
	return cookie - SESSION_COOKIE < s->nr_sev ? cookie - SESSION_COOKIE :
						     SESSION_COOKIE_NONE;
}

/* An event for records that no event made: not a closed one, whose id is soon unknown. */
static inline __u64 session_sideband_id(const struct session *s)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++)
		for (j = 0; s->sev[i].sideband && j < s->sev[i].nr_fds; j++)
			if (s->sev[i].fds[j].fd >= 0)
				return s->sev[i].fds[j].id;
	return 0;
}

static inline bool session_per_task(const struct session *s)
{
	return !s->opt->system_wide;
}

/* target.c: fills tids and cpus. Returns 0 or -errno with a message. */
int session_find_targets(struct session *s, struct diag *d);

/* child.c */
/* Is there such a command? 0, or -errno with a message and child_errno. */
int child_find(struct session *s, struct diag *d);
int child_fork(struct session *s, struct diag *d);
int child_start(struct session *s, struct diag *d);
/* One that was not started sees the pipe close, and ends. */
void child_dismiss(struct session *s);
/* @err of opening the events: if that is so because it was killed, says that. */
int child_explain(struct session *s, int err, struct diag *d);
void child_reap(struct session *s);
void child_kill(struct session *s, int sig);
/* Passes on the signal that ends the recording. */
void child_stop(struct session *s);

/* attr.c: sev[] from the options. Returns 0 or -errno with a message. */
int session_make_events(struct session *s, struct diag *d);

/* attr_terms.c: what an event says for itself, and for its group. */
int attr_check_terms(const struct sev *sev, struct diag *d);
int attr_terms(const struct session *s, struct sev *sev, struct diag *d);
void attr_groups(struct session *s);

/* twins.c: has software events that are the same one have the same fields in their samples. */
int session_unite_twins(struct session *s, struct diag *d);

/* main_size.c: bytes of a main ring as it is wanted; the limit may allow less. */
size_t session_main_bytes(const struct session *s);
/* Are there no samples of tasks, but AUX data? And is all of it of user space? */
bool session_only_aux(const struct session *s);
bool session_only_user_aux(const struct session *s);

/* open.c: descriptors, main rings, raw ring. */
int session_open(struct session *s, struct diag *d);
/* One descriptor. A task that is gone or a CPU that is off is no error. */
int session_open_one(struct session *s, struct sev *sev, pid_t tid, int cpu,
		     struct diag *d);
/*
 * Events are enabled or disabled a few at a time: of thousands it takes seconds, in
 * which the rings are to be read. Zero but for:
 */
struct session_switch {
	unsigned long request;	/* PERF_EVENT_IOC_ENABLE, not of those on exec; _DISABLE */
	bool sideband;		/* the one that has the tasks' records, or the others */
	size_t sev, fd;		/* the next one */
};

bool session_switch_some(struct session *s, struct session_switch *sw);
void session_detach(struct session *s);
/* Their descriptors and main rings; what is known of them stays. */
void session_close_events(struct session *s);
void session_close(struct session *s);

/* Is its PMU softpt, which is not Intel PT but looks like it? */
bool sev_is_softpt(const struct sev *sev);

/*
 * open_check.c: does the kernel have what options ask for? Else an event is refused without
 * a word why. 0, or -errno with a message.
 */
int open_check(const struct options *opt, struct diag *d);

/* open_notes.c: what rights do not allow, in one line, once all is open. */
void open_notes(const struct session *s);
/* Does any event record the kernel? Known once all is open. */
bool session_records_kernel(const struct session *s);

/* open_terms.c */
enum open_term {
	TERM_UNKNOWN,
	TERM_ONE,		/* without this one it opens */
	TERM_SOME,		/* these differ from the defaults */
};

/* @text: what the kernel refused @sev for, as "branch=0". Events of PMUs have terms only. */
enum open_term open_refused_term(const struct sev *sev, pid_t tid, int cpu, char *text,
				 size_t size);

/* open_error.c: return @err, with a message. @tid: as in struct opened */
int open_error(const struct session *s, const struct sev *sev, pid_t tid,
	       int err, struct diag *d);
int attach_error(const struct session *s, const struct sev *sev, int err,
		 struct diag *d);

/*
 * bpf_map.c: a pinned map, if it is of that type and its values have that size. @option,
 * @kind: for the message. Returns its descriptor or -errno with a message.
 */
int bpf_map_open(const char *option, const char *path, __u32 type, __u32 value_size,
		 const char *kind, struct diag *d);

/*
 * Puts the event's descriptors into its pinned map. They are taken out
 * again when the map's descriptor is closed. Returns 0 or -errno with a message.
 */
int bpf_map_fill(const struct session *s, struct sev *sev, struct diag *d);
/*
 * The map of --bpf-ring, and the raw ring's handle, which is in it while events are
 * enabled. Return 0 or -errno with a message. When the process was killed it stays
 * there, and leads nowhere.
 */
int bpf_ring_open(struct session *s, struct diag *d);
int bpf_ring_store(struct session *s, struct diag *d);
void bpf_ring_clear(struct session *s);

/* session/aux_queues.c; NULL: out of memory */
struct queue *queue_get(struct queues *q, __u32 tid);

#endif /* AUXREC_SESSION_H */
