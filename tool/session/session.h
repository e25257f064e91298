/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session is one recording in progress: its events, descriptors, rings and output.
 */
#ifndef AUXREC_SESSION_H
#define AUXREC_SESSION_H

#include <signal.h>

#include "base/cpus.h"
#include "base/hash_map.h"
#include "event/aux.h"
#include "event/event.h"
#include "ring/mainring.h"
#include "session/buildid.h"
#include "session/mode.h"
#include "session/options.h"
#include "ring/perf_clock.h"
#include "ring/rawring.h"
#include "stream/write.h"

/* The descriptor of one event for one task and one CPU (-1: any) */
struct opened {
	int fd;			/* -1: closed, its CPU went offline; records still have its id */
	int cpu;
	pid_t tid;		/* -1: every task of the CPU */
	__u64 id;
	__u64 closed;		/* if closed: all its records are older than this */
	__u64 lost;		/* records that did not fit, as of the last look */
	__u64 untold;		/* of @lost: not reported in the stream yet */
};

/* An event of the stream, with its own ATTR record */
struct sev {
	struct perf_event_attr attr;
	const char *name;
	const struct auxrec_event *ev;	/* NULL: auxrec adds this event itself */
	enum aux_format aux;
	bool sideband;			/* the dummy event that records tasks and maps */
	bool kernel_dropped;		/* records user space only, because rights are missing */
	int group;			/* as in ev; -1: none, or not any more */
	bool leader;
	struct opened *fds;
	size_t nr_fds;
	__u64 chunk_id;			/* of samples that auxrec makes, see REC_MADE_ID */
	int map_fd;			/* of --bpf-map; 0: none */
	bool raw_ring;			/* raw data of its samples goes to the raw ring */
	bool payloads;			/* the payload event, see stream/payload.h */
	bool snapshots;			/* the snapshot event, see stream/snapshot_mark.h */
	struct trigger *trigger;	/* its samples are this trigger, or NULL */
	bool used_up;			/* disabled: the trigger's count= was reached */
};

/* An AUXTRACE queue */
struct queue {
	__u32 tid;		/* of its thread; with -a: its CPU */
	__u32 idx;
	__u64 offset;		/* bytes so far */
};

struct queues {
	struct queue *list;
	size_t nr;
	struct read_map by_tid;	/* index into list */
};

/* The gaps of one cause that were written to the stream */
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
struct rotate;

struct session {
	const struct options *opt;
	const struct session_mode *mode;
	struct auxrec_events events;
	size_t nr_trigger_events;	/* the first ones of @events are triggers */
	struct sev *sev;
	size_t nr_sev;
	pid_t *tids;			/* the recorded threads, -1: all */
	size_t nr_tids;
	struct cpus cpus;
	struct mainring *rings;		/* one per CPU */
	size_t nr_rings;
	bool have_raw;
	bool have_payloads;		/* an event has raw_ring, or there is --bpf-ring */
	struct rawring raw;
	int bpf_ring_fd;		/* the map of --bpf-ring, else -1 */
	__u64 bpf_handle;		/* the raw ring's handle, for this map */
	bool bpf_ring_stored;		/* the map contains the handle */
	struct payloads *payloads;
	struct queues queues;
	bool primed;			/* the primer is written, see stream/primer.h */
	struct stream out;
	struct main_stats main;
	struct perf_clock *clock;	/* the clock of the records */
	bool clock_tried;		/* the clock was opened, or cannot be opened */
	bool discard;			/* after an error: records are only counted */
	struct gap_stats gaps[16];
	/* rounds, see record/live.c */
	__u64 round_time;		/* largest time when the last round ended */
	__u64 flushed_time;		/* readers have processed all records up to this time */
	__u64 round_began;		/* now_ns() when the last round ended */
	bool round_due;			/* the round has records, but it is too early to end it */
	__u64 held_since;		/* now_ns() since when the round is held back, or 0 */
	__u64 rounds;
	__u64 aux_bytes;
	__u64 spans;
	__u64 bad_spans;
	__u64 started;			/* now_ns() */
	__u64 line_ns;			/* now_ns() of the last status line, 0: none yet */
	__u64 line_bytes;		/* written at that time */
	__u64 stopped;
	pid_t child;			/* 0: none */
	int child_status;		/* of waitpid() */
	bool child_done;
	bool child_started;
	int go_fd;			/* the child waits for a byte from this pipe */
	int exec_fd;			/* the pipe for the child's errno of exec */
	int child_errno;		/* why the command cannot be executed */
	const char *end_reason;
	int json_fd;			/* of --json=FILE, else -1 */
	bool kptr_hidden;
	bool raw_less;			/* the memory limit allows less than the default raw ring */
	struct build_id_cache build_ids;	/* of files that tasks had mapped before */
	__u64 missing_build_ids;	/* of maps from before the recording */
	__u64 long_build_ids;
	struct ids *ids;
	bool ids_in_records;		/* the event that writes map records asks for ids */
	struct bpf_reader *bpf;
	bool bpf_settled;		/* bpf_settled() at the start of this pass */
	__u64 recording;		/* number of a flight recorder, 0: none */
	struct flight *flight;		/* the mode's own; NULL: a live recording */
	struct rotate *rotate;		/* of --switch-output, or NULL */
};

/*
 * The cookie of an event in the raw ring is this number plus the event's index in sev[].
 * BPF programs that write to the same ring are not likely to choose it as their cookie.
 */
#define SESSION_COOKIE		0x6175787265630000ULL
#define SESSION_COOKIE_NONE	(~0ULL)

static inline __u64 session_cookie_index(const struct session *s, __u64 cookie)
{
	return cookie - SESSION_COOKIE < s->nr_sev ? cookie - SESSION_COOKIE :
						     SESSION_COOKIE_NONE;
}

/*
 * Return the id of a sideband event, for records that no event made. Skip closed events: their
 * ids will soon be unknown.
 */
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

/* session/target.c: find tids and cpus. Return 0, or -errno with a message. */
int session_find_targets(struct session *s, struct diag *d);

/* session/child.c */
/* Is there such a command? Return 0, or -errno with a message and in child_errno. */
int child_find(struct session *s, struct diag *d);
/* Fork the child, which waits for child_start(). */
int child_fork(struct session *s, struct diag *d);
/* Let the child execute the command. */
int child_start(struct session *s, struct diag *d);
/* Close the pipe to the child. A child that was not started ends then. */
void child_dismiss(struct session *s);
/*
 * Call this when opening the events has failed with @err. If the reason is that the child was
 * killed, the message tells this. Return @err.
 */
int child_explain(struct session *s, int err, struct diag *d);
void child_reap(struct session *s);
void child_kill(struct session *s, int sig);
/* Pass on the signal that ends the recording. */
void child_stop(struct session *s);

/* session/attr.c: make sev[] from the options. Return 0, or -errno with a message. */
int session_make_events(struct session *s, struct diag *d);

/* session/attr_terms.c: apply the terms of an event, and of groups. */
int attr_check_terms(const struct sev *sev, struct diag *d);
int attr_terms(const struct session *s, struct sev *sev, struct diag *d);
void attr_groups(struct session *s);

/* session/duplicate_events.c: give software events that are the same event the same fields. */
int session_unite_twins(struct session *s, struct diag *d);

/* session/main_size.c */
/* Return the wanted size of a main ring, in bytes. The memory limit may allow less. */
size_t session_main_bytes(const struct session *s);
/* Is nothing recorded but AUX data of tasks? */
bool session_only_aux(const struct session *s);
/* Is nothing recorded but AUX data of tasks in user space? */
bool session_only_user_aux(const struct session *s);

/* session/open.c */
/* Open the events, the main rings and the raw ring. Return 0, or -errno with a message. */
int session_open(struct session *s, struct diag *d);
/* Open one descriptor. It is not an error if the task has ended or the CPU is offline. */
int session_open_one(struct session *s, struct sev *sev, pid_t tid, int cpu,
		     struct diag *d);
/*
 * Enabling or disabling thousands of events takes seconds, in which the rings must be
 * read. So each session_switch_some() does a few events, and returns true when all are done.
 * At first @sev and @fd are 0.
 */
struct session_switch {
	unsigned long request;	/* PERF_EVENT_IOC_ENABLE (not for enable_on_exec) or _DISABLE */
	bool sideband;		/* the sideband's event, or all others */
	size_t sev, fd;		/* the next one */
};

bool session_switch_some(struct session *s, struct session_switch *sw);
void session_detach(struct session *s);
/* Close the descriptors and main rings, but keep sev[]. */
void session_close_events(struct session *s);
void session_close(struct session *s);

/* session/attr.c: auxrec_attr() of an event of the session */
size_t sev_attr(const struct sev *sev, unsigned char buf[AUXREC_ATTR_SIZE]);
/* session/open_error.c: is the event's PMU softpt, which looks like Intel PT? */
bool sev_is_softpt(const struct sev *sev);

/*
 * session/open_check.c: does the kernel support what the options ask for? Without this check
 * the kernel would refuse an event and not tell why. Return 0, or -errno with a message.
 */
int open_check(const struct options *opt, struct diag *d);

/* session/open_notes.c */
/* When all events are open, tell in one line what the user's rights do not allow. */
void open_notes(const struct session *s);
/* Does any event record the kernel? This is known when all events are open. */
bool session_records_kernel(const struct session *s);

/* session/open_terms.c */
enum open_term {
	TERM_UNKNOWN,
	TERM_ONE,		/* without this term the event opens */
	TERM_SOME,		/* these terms differ from the defaults */
};

/*
 * Find the terms for which the kernel refuses @sev, and put them into @text, as "branch=0". Only
 * events of PMUs have terms.
 */
enum open_term open_refused_term(const struct sev *sev, pid_t tid, int cpu, char *text,
				 size_t size);

/* session/open_error.c: return @err, with a message. @tid: as in struct opened */
int open_error(const struct session *s, const struct sev *sev, pid_t tid,
	       int err, struct diag *d);
int attach_error(const struct session *s, const struct sev *sev, int err,
		 struct diag *d);

/*
 * session/bpf_map.c, up to bpf_ring_clear(): open a pinned map, if it has this type and its
 * values have this size. @option, @kind: for the message. Return the map's descriptor, or
 * -errno with a message.
 */
int bpf_map_open(const char *option, const char *path, __u32 type, __u32 value_size,
		 const char *kind, struct diag *d);

/*
 * Put the event's descriptors into its pinned map. The kernel takes them out when the
 * map's descriptor is closed. Return 0, or -errno with a message.
 */
int bpf_map_fill(const struct session *s, struct sev *sev, struct diag *d);
/*
 * The map of --bpf-ring contains the raw ring's handle while events are enabled. If the process is
 * killed, the handle stays in the map, but belongs to no ring any more. Return 0, or -errno with a
 * message.
 */
int bpf_ring_open(struct session *s, struct diag *d);
int bpf_ring_store(struct session *s, struct diag *d);
void bpf_ring_clear(struct session *s);

/*
 * session/aux_queues.c. queue_get() returns the queue of a thread or CPU. It makes the queue if
 * there is none yet, and returns NULL if there is no memory.
 */
struct queue *queue_get(struct queues *q, __u32 tid);
void queues_free(struct queues *q);

#endif /* AUXREC_SESSION_H */
