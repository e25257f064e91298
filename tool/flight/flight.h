/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flight recorder: records are kept in memory, the newest of them, and written when
 * something calls for it, by a child, while the recording goes on.
 */
#ifndef AUXREC_FLIGHT_H
#define AUXREC_FLIGHT_H

#include "service/control.h"
#include "flight/files.h"
#include "ring/gaps.h"
#include "base/map.h"
#include "history/recent.h"
#include "record/record.h"
#include "session/session.h"
#include "stream/snapshot_mark.h"

struct flight_bpf;
struct removal;

/* Something that calls for a snapshot. */
struct flight_wish {
	struct flight_wish *next;
	struct trigger *trigger;
	char name[TRIGGER_NAME_MAX];
	__u64 time;			/* of the recording's clock */
	__u64 came, due;		/* now_ns() */
	bool late;			/* it is paced: nothing is frozen for it */
	bool lost;			/* a sample of it was */
	__u64 overwritten;		/* post= segments: so many at most; 0: none */
	__u64 triggers;			/* so many that it is of */
	__u64 *tokens;			/* of the control socket */
	size_t nr_tokens;
	__u8 *data;			/* struct auxrec_snapshot_data, one or more */
	size_t data_size;
};

/* How the memory is divided, bytes. */
struct flight_memory {
	__u64 limit;			/* of all */
	__u64 own;			/* the tool's, without what follows */
	size_t main;			/* a main ring, of which there is one per CPU */
	__u64 raw;			/* the raw ring */
	__u64 records;			/* what is left for these, see recent.h */
	__u64 meanwhile;		/* of that: for samples, while a snapshot is written */
};

/* Is the history shorter than the window that was asked for? */
struct flight_short {
	enum snapshot_short part;	/* the memory is full of this */
	__u64 history;			/* ns */
	__u64 memory;			/* bytes of -M that would be enough */
};

struct flight_stats {
	__u64 snapshots;
	__u64 failed;
	__u64 bytes;			/* of snapshots */
	__u64 wishes;			/* triggers that came */
	__u64 not_kept;			/* records: no room for them, or no memory */
	__u64 longest_ns;		/* from a trigger to its file */
	__u64 removed;			/* old snapshots */
	__u64 forgotten_maps;		/* that tasks have, for want of memory */
};

/* Records, since the last one that was kept */
struct flight_dropped {
	__u64 nr;
	__u64 time, id;			/* of the last one */
};

struct flight {
	struct flight_memory memory;
	struct flight_short lacking;
	struct recent *recent;
	struct recent_stats last;	/* as they were when there was one, see flight_merge() */
	struct gaps gaps;		/* of the raw ring */
	__u64 raw_history;		/* how far back it went at the last look; ~0: no data */
	/* what each snapshot begins with */
	__u8 *setup;
	size_t setup_size, setup_room;
	bool in_setup;
	__u64 number;			/* of the last snapshot */
	__u64 suppressed;
	struct read_map trigger_ids;	/* ids of their events: place in opt->flight.triggers */
	__u32 *event_triggers;		/* of each event of triggers, the same */
	bool exit_records;		/* exit= is found in records, see flight_event.c */
	struct flight_wish *first, **end;
	struct flight_wish *writing;	/* those that the child serves */
	__u64 writing_since;		/* when the first of them came, ns of CLOCK_REALTIME */
	pid_t child;			/* 0: none */
	int result_fd;			/* of the child, else -1 */
	__u64 added;			/* bytes of samples since the child began */
	struct flight_dropped dropped;
	__u64 frozen_since;		/* now_ns(), 0: it is not */
	__u64 frozen_lost;		/* what freezes had lost when it was not */
	struct keep keep;
	__u64 over;			/* now_ns() when the recorder was told to stop */
	struct removal *removal;	/* of old snapshots goes on; NULL: none */
	bool remove_again;
	int keep_err;			/* the last look at old snapshots failed: told */
	struct flight_files files;	/* snapshots of this run */
	int epoll_fd;
	int uevents;			/* of CPUs; -1: there is no socket */
	bool uevents_come;		/* else CPUs are looked at once a second */
	struct cpus online;
	__u64 cpus_seen;		/* now_ns() of that */
	bool cpus_failed;		/* some could not be opened again: told */
	struct control *control;
	struct flight_bpf *bpf;		/* --trigger bpf= */
	__u64 stop_token;
	bool stop;			/* the socket said so */
	bool begun;			/* the recording has */
	bool quit;			/* do not wait any more */
	__u64 watched;			/* now_ns() of the last sign of life */
	__u64 told;			/* and of the last word on how it is */
	__u64 shrunk;			/* and of the last look at what is mapped */
	__u64 aged;			/* and of the last look for --keep-age */
	struct flight_stats stats;
};

/* mode.c */
extern const struct session_mode flight_mode;

/* flight_memory.c: sizes of rings that are not given; then what is left for the rest. */
int flight_defaults(struct options *opt, struct diag *d);
int flight_divide(struct session *s, struct flight_memory *m, struct diag *d);

/* flight.c. 0, or -errno with a message. */
int flight_prepare(struct session *s, struct diag *d);	/* before anything else */
int flight_open(struct session *s, struct diag *d);	/* after session_open() */
void flight_close(struct session *s);
/* --daemon: goes on in the background. Before anything else. 0, or -errno with a message. */
int flight_daemon(const struct options *opt, struct diag *d);
/* All events are enabled: whoever has started this may know. 0, or -errno with a message. */
int flight_begun(struct session *s, struct diag *d);
/* setup.c: around what describes the machine, see synth.h: that is kept. */
void flight_setup_open(struct session *s);
void flight_setup(struct session *s, bool begin);
/* A record of a main ring. */
void flight_record(struct session *s, const struct perf_event_header *rec);
/*
 * gaps.c: takes the raw ring's gaps. _forget(): the ring has data from @history on, ns; ~0: it has
 * none.
 */
void flight_gaps(struct session *s);
void flight_forget_gaps(struct flight *f, __u64 history);
/* One look at all rings is over: what is too old goes. */
void flight_settle(struct session *s);
/* In each round: signs of life, old snapshots. At the end: it may take a while. */
void flight_watch(struct session *s);
/* When is the next one needed? See wait_sooner(). */
int flight_watch_timeout(const struct session *s, int timeout);
/* The last snapshots are being written. */
void flight_busy(struct session *s);
void flight_over(struct session *s);
/*
 * flight_remove.c: retention. @committed: a new snapshot, or NULL. _end(): what became of
 * it, if that is known in @wait seconds.
 */
void flight_remove_old(struct session *s, const char *committed);
void flight_remove_end(struct session *s, __u64 wait);
/*
 * A round of the loop: triggers, and snapshots that have been written; is one to be written
 * now? Then one more look at all rings makes it complete; write it.
 */
void flight_run(struct session *s);
bool flight_is_due(const struct session *s);
void flight_write_due(struct session *s);
int flight_timeout(const struct session *s, int timeout);
/* The recording is over: what was called for is still written. */
void flight_finish(struct session *s);
/* SIGUSR2: all snapshots become one. 0, or -errno with a message. */
int flight_merge(struct session *s, struct diag *d);

/* flight_wish.c */
void flight_wish(struct session *s, struct trigger *t, const char *name, __u64 time,
		 __u64 token, const void *data, size_t size);
/* @nr more of the last wish of @t, which came at the same time. */
void flight_wish_more(struct session *s, struct trigger *t, __u64 nr);
/* @nr of them came, at @time or before, whose samples are lost. */
void flight_wish_lost(struct session *s, struct trigger *t, __u64 time, __u64 nr);
void flight_wishes_free(struct flight_wish *list);

/* flight_trigger.c: what is not an event of the session */
int flight_triggers_open(struct session *s, struct diag *d);
void flight_triggers_run(struct session *s);
void flight_triggers_close(struct session *s);
/* A trigger came that has no snapshot, or a later one. */
void flight_unfreeze(struct session *s, const struct trigger *t);
/* The raw ring was thawed. */
void flight_thawed(struct session *s);
/* Are there the segments of its post=, so that it need not wait any longer? */
bool flight_post_is_over(const struct session *s, const struct flight_wish *w);
/* Those that have come since the last time wait for these. */
void flight_wait_for_segments(struct session *s);
/* Of an event, which has frozen the raw ring? Does one of these wait? */
bool flight_has_frozen(const struct flight_wish *w);
bool flight_event_waits(const struct flight *f);
/* An event of a trigger was opened: its id, and the raw ring. */
int flight_trigger_event(struct session *s, const struct sev *sev, const struct opened *o,
			 struct diag *d);

/*
 * flight_drop.c: of what is not sideband, is there room for @size bytes more, if a snapshot is
 * written? What there is none for is dropped, and told when the snapshot is written.
 */
bool flight_has_room(struct flight *f, size_t size);
void flight_drop(struct session *s, const struct perf_event_header *rec, __u64 time);
void flight_tell_dropped(struct session *s);

/*
 * flight_lost.c: @nr samples of a trigger were lost. _all(): looks whether that is so, whether
 * their main rings were full or not.
 */
void flight_lost(struct session *s, const struct sev *sev, __u64 nr);
void flight_lost_all(struct session *s);

/* flight_event.c: events of triggers, before all others; what is special about one. */
int flight_events(struct session *s, struct diag *d);
int flight_event(struct session *s, size_t i, struct sev *sev, struct diag *d);

/* flight_cpus.c: CPUs that go offline take their events along, and come back without. */
int flight_cpus_open(struct session *s);
void flight_cpus_run(struct session *s);
int flight_cpus_timeout(const struct session *s, int timeout);
void flight_cpus_close(struct session *s);

/* say.c */
void flight_say_removed(const char *path, const char *why, int err);

/* dump.c: the child */
int flight_dump_begin(struct session *s);
/*
 * It has ended, or (@wait) is waited for: until it has, or for some seconds since the recorder
 * was told twice to stop.
 */
void flight_dump_end(struct session *s, bool wait);
/* What is due is not written, for this reason. */
void flight_dump_give_up(struct session *s, const char *why);

/* snapshot.c: in the child. 0 or -errno of the stream. */
struct snapshot_job {
	__u64 begin;			/* older data are left out, ns */
	bool frozen;
};

int snapshot_write(struct session *s, const struct snapshot_job *job);

/* flight_short.c: after each look at all rings; of how it was then: "no", or what there is */
void flight_look_short(struct session *s, __u64 now);
void flight_short_print(const struct session *s, char *buf, size_t size);

/* flight_report.c */
void flight_status(void *session, FILE *to);
struct recent_stats;
/* Of records, seconds, as far as there have been any */
double flight_history(const struct session *s, const struct recent_stats *stats);
void flight_summary(const struct session *s);
void flight_line(const struct session *s, char *buf, size_t size);
void flight_json(FILE *to, const struct session *s);

#endif /* AUXREC_FLIGHT_H */
