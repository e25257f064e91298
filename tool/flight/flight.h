/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flight recorder keeps the newest records in memory. When a trigger calls for a snapshot, a
 * child process writes them while the recording goes on.
 */
#ifndef AUXREC_FLIGHT_H
#define AUXREC_FLIGHT_H

#include "helper/hook.h"
#include "service/control.h"
#include "ring/gaps.h"
#include "base/hash_map.h"
#include "history/recent.h"
#include "record/made.h"
#include "record/record.h"
#include "session/session.h"
#include "snapfile/files.h"
#include "stream/complete.h"
#include "stream/read_loss.h"
#include "stream/records.h"
#include "stream/snapshot_mark.h"

struct call_time;
struct only_tasks;
struct flight_bpf;
struct flight_hang;
struct flight_pressure;
struct removal;
struct survive;

/* A trigger's wish for a snapshot. */
struct flight_wish {
	struct flight_wish *next;
	struct trigger *trigger;
	char name[TRIGGER_NAME_MAX];
	__u64 time;			/* on the recording's clock */
	__u64 came, due;		/* now_ns() */
	bool late;			/* delayed by pacing: the ring is not frozen for it */
	bool lost;			/* its sample was lost */
	__u32 pid, tid;			/* the task that its event was about; 0: none */
	/*
	 * post=N: the wait ends when the counter of overwritten segments has this value; 0: no
	 * wait
	 */
	__u64 overwritten;
	__u64 triggers;			/* number of triggers that it stands for */
	struct flight_task {		/* processes that triggered, for --only-trigger-task */
		__u32 pid;
		__u64 first, last;	/* times of its triggers */
	} *tasks;
	size_t nr_tasks;
	__u64 more_tasks;		/* triggers whose process has no place in @tasks */
	__u64 *tokens;			/* clients of the control socket to answer */
	size_t nr_tokens;
	__u8 *data;			/* struct auxrec_snapshot_data, one or more */
	size_t data_size;
};

/* How the memory is divided, in bytes */
struct flight_memory {
	__u64 limit;			/* limit of all memory */
	__u64 own;			/* the tool itself, without the following */
	size_t main;			/* one main ring; there is one per CPU */
	__u64 raw;			/* the raw ring */
	__u64 records;			/* the rest, see history/recent.h */
	__u64 meanwhile;		/* part of @records, for samples during a snapshot */
};

/* Result of the check whether the history is shorter than the window that was asked for */
struct flight_short {
	enum snapshot_short part;	/* what fills the memory */
	__u64 history;			/* ns */
	__u64 memory;			/* bytes of -M that would suffice */
};

struct flight_stats {
	__u64 snapshots;
	__u64 failed;
	__u64 bytes;			/* of snapshots */
	__u64 wishes;			/* triggers that occurred */
	__u64 not_kept;			/* records without room or memory */
	__u64 longest_ns;		/* from a trigger to its file */
	__u64 removed;			/* old snapshots */
	__u64 forgotten_maps;		/* maps of tasks, forgotten because memory was short */
	__u64 untimed;			/* flight_untimed() of triggers that are closed */
	__u64 last;			/* CLOCK_REALTIME ns of the newest snapshot's trigger */
};

/* Records that were not kept since the last LOST_SAMPLES record */
struct flight_dropped {
	__u64 nr;
	__u64 time;			/* the latest of their times */
	__u64 id;			/* of the last record's event */
};

/* What a snapshot has and lacks, as auxrec info tells it */
struct snapshot_facts {
	__u64 trigger;			/* time of the first trigger, recording's clock */
	struct complete_time complete;
	__u64 lost;			/* records that main rings lost */
	__u64 gaps;			/* of the raw ring */
	__u64 gap_bytes;		/* bytes that these gaps lost, where known */
};

/* A time for which a snapshot lacks something */
struct snapshot_loss {
	const char *cause;
	__u64 begin, end;
	__u64 bytes;			/* of the raw ring, where known */
	__u64 records;			/* of a main ring */
};

#define SNAPSHOT_LOSSES	32		/* the newest ones, for the snapshot's line */

/* The losses of a snapshot that is being written */
struct snapshot_losses {
	struct snapshot_facts facts;
	struct snapshot_loss newest[SNAPSHOT_LOSSES];
	__u64 nr;			/* of all losses with a time */
	struct complete_breaks breaks;
	struct read_losses rings;
	bool failed;			/* out of memory: the complete time is not known */
};

struct flight {
	struct flight_memory memory;
	struct flight_short lacking;
	struct recent *recent;
	struct recent_stats last;	/* last stats of recent, see flight_merge() */
	struct gaps gaps;		/* of the raw ring */
	__u64 raw_history;		/* start of the ring's data at the last look; ~0: none */
	/* the records with which each snapshot begins */
	struct made setup;
	bool in_setup;
	__u64 number;			/* of the last snapshot */
	__u64 suppressed;
	struct read_map trigger_ids;	/* maps an event id to the index in opt->flight.triggers */
	__u32 *event_triggers;		/* the same index for each event of a trigger */
	bool exit_records;		/* exit= is found in records, see flight/event.c */
	struct flight_wish *first, **end;
	struct flight_wish *writing;	/* the wishes that the child serves */
	struct only_tasks *only;	/* in the child; NULL: the snapshot has all tasks */
	__u64 writing_since;		/* CLOCK_REALTIME ns of the first of these wishes */
	pid_t child;			/* 0: none */
	int result_fd;			/* pipe from the child, or -1 */
	__u64 added;			/* bytes of samples since the child began */
	struct flight_dropped dropped;
	struct snapshot_losses *losses;	/* in the child; NULL: nobody asks for them */
	struct snapshot_task *task;	/* in the child; NULL: nobody asks for it */
	struct hook hook;		/* --on-snapshot */
	const char *journal;		/* the journal's socket; NULL: print to stderr */
	__u64 frozen_since;		/* now_ns(); 0: the raw ring is not frozen */
	__u64 frozen_lost;		/* the FROZEN loss counter before the freeze */
	struct keep keep;
	__u64 over;			/* now_ns() when the recorder was told to stop */
	struct removal *removal;	/* removal of old snapshots in progress; NULL: none */
	bool remove_again;
	int keep_err;			/* error of the last look at old snapshots, logged */
	struct flight_files files;	/* snapshots of this run */
	int epoll_fd;
	int uevents;			/* socket for uevents of CPUs; -1: none */
	bool uevents_come;		/* if false, look at the CPUs once a second */
	struct cpus online;
	__u64 cpus_seen;		/* now_ns() when @online was read */
	bool cpus_failed;		/* some could not be opened again, logged */
	struct control *control;
	struct flight_bpf *bpf;		/* --trigger bpf= */
	struct flight_pressure *pressure;	/* --trigger pressure= */
	struct flight_hang *hang;	/* --trigger hang= */
	struct call_time **call_times;	/* by trigger; not NULL: --trigger latency= */
	struct survive *survive;	/* --survive-crash, or NULL */
	__u64 stop_token;
	bool stop;			/* a client of the control socket asked for it */
	bool begun;			/* the recording has begun */
	bool quit;			/* do not wait any more */
	__u64 watched;			/* now_ns() of the last sign of life */
	__u64 told;			/* now_ns() of the last status line */
	__u64 shrunk;			/* now_ns() of the last look at maps */
	__u64 aged;			/* now_ns() of the last look for --keep-age */
	struct flight_stats stats;
};

/* Return the time of a record of a main ring. */
static inline __u64 flight_record_time(const struct perf_event_header *rec)
{
	const __u8 *bytes = (const void *)rec;
	struct rec_sample_id id;
	__u64 time = 0;

	if (rec->type == PERF_RECORD_SAMPLE) {
		/* The time follows id (IDENTIFIER), ip, pid and tid. */
		if (rec->size >= 40)
			memcpy(&time, bytes + 32, sizeof(time));
	} else if (rec->size >= sizeof(*rec) + sizeof(id)) {
		memcpy(&id, bytes + rec->size - sizeof(id), sizeof(id));
		time = id.time;
	}
	return time;
}

/* flight/mode.c */
extern const struct session_mode flight_mode;

/* flight/memory.c: set the sizes of rings that were not given, then divide the rest. */
int flight_defaults(struct options *opt, struct diag *d);
int flight_divide(struct session *s, struct flight_memory *m, struct diag *d);
/* Return the memory of main rings of @bytes each, on @nr_cpus CPUs. */
__u64 flight_main_memory(size_t bytes, size_t nr_cpus);

/* flight/flight.c. A function that returns int returns 0, or -errno with a message. */
int flight_prepare(struct session *s, struct diag *d);	/* before the events are made */
int flight_open(struct session *s, struct diag *d);	/* after session_open() */
void flight_close(struct session *s);
/*
 * --daemon: continue in the background. Call this before anything else. Return 0, or -errno with
 * a message.
 */
int flight_daemon(const struct options *opt, struct diag *d);
/*
 * Call this when all events are enabled. It tells the service manager, or the process that started
 * the daemon, that the recording has begun. Return 0, or -errno with a message.
 */
int flight_begun(struct session *s, struct diag *d);
/*
 * flight/setup.c: keep the records that describe the machine (synth/synth.h). Call flight_setup()
 * before and after they are written.
 */
void flight_setup_open(struct session *s);
void flight_setup(struct session *s, bool begin);
/* Handle a record of a main ring. */
void flight_record(struct session *s, const struct perf_event_header *rec);
/*
 * flight/gaps.c: take the gaps from the raw ring, and forget gaps that are not needed any more. The
 * ring has data from @history on (ns; ~0: it has no data).
 */
void flight_gaps(struct session *s);
void flight_forget_gaps(struct flight *f, __u64 history);
/* Call this when all rings were read once. It forgets what is too old. */
void flight_settle(struct session *s);
/*
 * Give a sign of life to the service manager and remove old snapshots. The recorder calls this in
 * each round, and while it waits at its end.
 */
void flight_watch(struct session *s);
/* Return the timeout until the next flight_watch(), see wait_until(). */
int flight_watch_timeout(const struct session *s, int timeout);
/*
 * Call flight_over() when the recorder was told to stop, and flight_busy() while it still writes
 * the last snapshots.
 */
void flight_busy(struct session *s);
void flight_over(struct session *s);
/*
 * flight/remove.c: retention. @committed: a new snapshot, or NULL. flight_remove_end(): take the
 * result of the removal if it is known within @wait seconds.
 */
void flight_remove_old(struct session *s, const char *committed);
void flight_remove_end(struct session *s, __u64 wait);
/*
 * flight_run() is one round of the loop: it handles triggers, and snapshots that have been
 * written. If flight_is_due(), a snapshot must be written now: the caller reads all rings once
 * more, so that the snapshot is complete, and calls flight_write_due().
 */
void flight_run(struct session *s);
bool flight_is_due(const struct session *s);
void flight_write_due(struct session *s);
int flight_timeout(const struct session *s, int timeout);
/* Call this when the recording is over. It writes the snapshots that triggers have called for. */
void flight_finish(struct session *s);
/* SIGUSR2: merge all snapshots into one file. Return 0, or -errno with a message. */
int flight_merge(struct session *s, struct diag *d);

/* flight/snapshot_queue.c */
void flight_wish(struct session *s, struct trigger *t, const char *name, __u64 time,
		 __u64 token, const void *data, size_t size);
/*
 * Call this after flight_wish() of @t: task @tid of process @pid caused the trigger at @time. The
 * first task of a snapshot is in the snapshot's line. With --only-trigger-task, the snapshot has
 * all processes of these calls, and without a call it has no process.
 */
void flight_wish_task(struct session *s, const struct trigger *t, __u32 pid, __u32 tid, __u64 time);
/* Call this when @nr more triggers came at the same time as the last wish of @t. */
void flight_wish_more(struct session *s, struct trigger *t, __u64 nr);
/* Call this when the samples of @nr triggers are lost. The triggers came at @time or before. */
void flight_wish_lost(struct session *s, struct trigger *t, __u64 time, __u64 nr);
void flight_wishes_free(struct flight_wish *list);

/* flight/trigger.c: triggers that are not events of the session */
int flight_triggers_open(struct session *s, struct diag *d);
void flight_triggers_run(struct session *s);
void flight_triggers_close(struct session *s);
/*
 * Call this when a trigger's snapshot is made later or not at all. It thaws the raw ring if this
 * trigger froze it.
 */
void flight_unfreeze(struct session *s, const struct trigger *t);
/* Call this when the raw ring was thawed. */
void flight_thawed(struct session *s);
/*
 * Have the segments of the wish's post= been written, so that the wish does not have to wait any
 * longer?
 */
bool flight_post_is_over(const struct session *s, const struct flight_wish *w);
/* Let wishes that have come since the last call wait for their post= segments. */
void flight_wait_for_segments(struct session *s);
/*
 * flight_has_frozen(): did the event of this wish's trigger freeze the raw ring?
 * flight_event_waits(): is such a wish in the list?
 */
bool flight_has_frozen(const struct flight_wish *w);
bool flight_event_waits(const struct flight *f);
/*
 * Call this when an event of a trigger was opened. It stores the event's id and attaches the event
 * to the raw ring.
 */
int flight_trigger_event(struct session *s, const struct sev *sev, const struct opened *o,
			 struct diag *d);

/*
 * flight/drop.c: while a snapshot is written, is there room for a record of @size bytes that is
 * not sideband? A record without room is dropped; flight_tell_dropped() reports the dropped
 * records when the snapshot is written.
 */
bool flight_has_room(struct flight *f, size_t size);
void flight_drop(struct session *s, const struct perf_event_header *rec, __u64 time);
void flight_tell_dropped(struct session *s);

/*
 * flight/lost.c: @nr samples of a trigger were lost. flight_lost_all() looks for such losses in
 * all main rings, also in those that were not full.
 */
void flight_lost(struct session *s, const struct sev *sev, __u64 nr);
void flight_lost_all(struct session *s);
/* flight/lost.c: how many calls of latency= returned whose time is not known */
__u64 flight_untimed(const struct session *s);

/*
 * flight/event.c: flight_events() appends the events of triggers to s->events. flight_event() sets
 * what is special about such an event.
 */
int flight_events(struct session *s, struct diag *d);
int flight_event(struct session *s, size_t i, struct sev *sev, struct diag *d);

/* flight/cpus.c: a CPU that goes offline loses its events and comes back without them. */
int flight_cpus_open(struct session *s);
void flight_cpus_run(struct session *s);
int flight_cpus_timeout(const struct session *s, int timeout);
void flight_cpus_close(struct session *s);

/*
 * flight/tell.c: tell that a snapshot is on disk (not with --quiet), or why it failed. @facts are
 * only for the journal.
 */
void flight_tell_written(struct session *s, const char *path, __u64 bytes,
			 const struct snapshot_facts *facts);
void flight_tell_failed(struct session *s, const char *why);

/* flight/say.c */
void flight_say_removed(const char *path, const char *why, int err);

/* flight/dump.c: the child */
int flight_dump_begin(struct session *s);
/*
 * Handle the end of the child. If @wait, wait until it has ended, or for some seconds after the
 * recorder was told to stop a second time.
 */
void flight_dump_end(struct session *s, bool wait);
/* Do not write the snapshot that is due. @why: the reason, for messages */
void flight_dump_give_up(struct session *s, const char *why);

/*
 * flight/losses.c: called in the child for each record that is not sideband, and for each gap.
 * snapshot_losses_end() finds the time for which the snapshot is complete around its first trigger,
 * which @mark describes.
 */
void snapshot_losses_record(struct session *s, const struct perf_event_header *rec);
void snapshot_losses_gap(struct session *s, const struct perfaux_gap *gap);
void snapshot_losses_end(struct snapshot_losses *l, const struct auxrec_snapshot *mark);

/*
 * flight/line.c: the line of JSON about a snapshot. All functions are called in the child.
 * snapshot_task_begin() looks for the task of the first trigger, and snapshot_task_record() notes
 * its name and its maps among the records that the snapshot begins with. snapshot_line() returns
 * the line, without a newline, which the caller frees, or NULL.
 */
bool snapshot_line_wanted(const struct session *s);
int snapshot_task_begin(struct session *s);
void snapshot_task_record(struct session *s, const struct perf_event_header *rec);
char *snapshot_line(struct session *s, const char *path, __u64 bytes);

/*
 * flight/only.c: called in the child, for --only-trigger-task. @o NULL: the snapshot has all tasks.
 * only_tasks_find() returns 0 or -ENOMEM. only_tasks_keeps() tells whether the snapshot has a
 * record, and only_tasks_has() whether it has the data of a process at a time.
 */
int only_tasks_find(struct session *s, struct only_tasks **o);
bool only_tasks_keeps(const struct only_tasks *o, const struct perf_event_header *rec);
bool only_tasks_has(const struct only_tasks *o, __u32 pid, __u64 time);
/* Can the session's snapshots be of one process? Return 0, or -errno with a message. */
int only_tasks_check(const struct session *s, struct diag *d);

/* flight/snapshot.c: called in the child. Return 0, or -errno of the stream. */
struct snapshot_job {
	__u64 begin;			/* older data is left out, ns */
	bool frozen;
};

int snapshot_write(struct session *s, const struct snapshot_job *job);

/*
 * flight/short_history.c: called after each look at all rings; flight_short_print() prints "no" or
 * the result of the last look.
 */
void flight_look_short(struct session *s, __u64 now);
void flight_short_print(const struct session *s, char *buf, size_t size);

/* flight/status.c: tell the control socket how the recorder is doing. */
void flight_status(void *session, enum facts_form form, FILE *to);

/* flight/report.c */
/* Return how far back the records reach, ns. */
__u64 flight_history(const struct session *s, const struct recent_stats *stats);
/*
 * Return by how much the memory of records exceeds its limit. It can exceed the limit, because
 * tasks and the kernel's symbols are never given up.
 */
__u64 flight_over_limit(const struct flight *f);
void flight_summary(const struct session *s);
void flight_line(const struct session *s, char *buf, size_t size);
void flight_json(struct json *j, const struct session *s);

#endif /* AUXREC_FLIGHT_H */
