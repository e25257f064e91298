// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child process writes a snapshot. The child has the records as they were when it was forked,
 * and maps the raw ring's segments, which are HELD. However slow the disk is, the recorder goes
 * on reading the main rings, and writers go on in the other segments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "flight/flight.h"
#include "helper/append.h"
#include "helper/close_fds.h"
#include "service/log.h"
#include "session/signals.h"
#include "snapfile/write.h"

/*
 * A process that waits for a disk does not die before the disk answers. After SIGKILL the
 * recorder waits for this many looks of one second each.
 */
#define KILLED_LOOKS	2

/* The child's report when it ends. Without a report the child was killed. */
struct result {
	int err;
	__u64 bytes;
	__u64 removed;
	struct snapshot_facts facts;	/* for the journal and the line of JSON; else 0 */
	char text[PATH_MAX];	/* the file's name, or what went wrong */
	__u32 line_size;	/* of the line that follows, with its NUL, for --on-snapshot */
};

/* --- in the child ---------------------------------------------------------- */

static void told(void *ctx, const char *path, const char *why, int err)
{
	__u64 *removed = ctx;

	*removed += !err;
	flight_say_removed(path, why, err);
}

/*
 * Close the recorder's events, locks and sockets, so that the next recorder can begin if this
 * one is killed while the child waits for a disk. The child needs the raw ring, the log and the
 * pipe to the recorder.
 */
static void close_others(const struct session *s, int report)
{
	int keep[] = { log_inherited(), s->have_raw ? s->raw.fd : -1, report };

	close_fds(keep, ARRAY_LEN(keep));
}

/*
 * Ignore the signals that are meant for the recorder: the child must finish its snapshot. The
 * child is killed when the recorder dies.
 */
static void become_writer(const struct session *s, pid_t recorder, int report)
{
	signals_reset(SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != recorder)
		_exit(1);
	close_others(s, report);
}

/*
 * Return the earliest time that a wish asks for; 0: all. The window is taken into account, because
 * the raw ring keeps data that is older than the window.
 */
static __u64 wanted_begin(const struct session *s)
{
	const __u64 window = s->opt->flight.window;
	const struct flight_wish *w;
	__u64 begin = ~0ULL;

	for (w = s->flight->writing; w; w = w->next) {
		const __u64 pre = w->trigger->pre && (!window || w->trigger->pre < window) ?
				  w->trigger->pre : window;
		const __u64 from = pre && pre < w->time ? w->time - pre : 0;

		if (from < begin)
			begin = from;
	}
	return begin;
}

/* Context that snapfile_write() passes to its callbacks */
struct writing {
	struct session *s;
	struct snapshot_job job;
	__u64 removed;		/* old snapshots, to make room */
};

static bool may_go(void *ctx)
{
	const struct writing *w = ctx;

	return keep_has_limits(&w->s->flight->keep);
}

static bool make_room(void *ctx, const struct keep_new *new)
{
	struct writing *w = ctx;
	struct diag d;

	return keep_make_room(&w->s->flight->keep, new, told, &w->removed, &d) > 0;
}

static int count_only(void *ctx)
{
	struct writing *w = ctx;

	return w->s->have_raw ? rawring_only_read(&w->s->raw) : 0;
}

static int write_stream(void *ctx)
{
	const struct writing *w = ctx;
	const int level = w->s->opt->compress;
	struct diag d;

	if (level && stream_compress(&w->s->out, level, &d))
		return -ENOMEM;
	/*
	 * End the stream here, and not only in stream_close(): a child that counts the bytes exits
	 * before that.
	 */
	return snapshot_write(w->s, &w->job) ?: stream_end(&w->s->out);
}

static int write_file(struct session *s, bool frozen, struct result *result,
		      struct diag *d)
{
	const struct options *opt = s->opt;
	struct writing w = {
		.s = s, .job = { .begin = wanted_begin(s), .frozen = frozen },
	};
	struct snapfile_job job = {
		.pattern = opt->flight.name, .base = opt->output,
		.trigger = s->flight->writing->name, .number = s->flight->number,
		.time = s->flight->writing_since,
		.out = &s->out, .write = write_stream, .may_go = may_go, .no_space = make_room,
		.count = count_only, .ctx = &w,
	};
	static struct snapshot_losses losses;
	static struct snapfile file;
	int err;

	if (s->flight->journal || snapshot_line_wanted(s))
		s->flight->losses = &losses;
	err = snapfile_write(&file, &job, d);
	result->bytes = s->out.stored;
	result->removed = w.removed;
	result->facts = losses.facts;
	if (err)
		return err;
	/* The client that asked for the snapshot may have another working directory. */
	if (!realpath(file.path, result->text))
		memcpy(result->text, file.path, sizeof(result->text));
	return 0;
}

static void write_all(const void *data, size_t size, int fd)
{
	const char *at = data;

	while (size) {
		const ssize_t n = write(fd, at, size);

		if (n <= 0 && errno != EINTR)
			return;
		if (n > 0) {
			at += n;
			size -= n;
		}
	}
}

/*
 * Append the snapshot's line to the log of snapshots. The snapshot stays on disk even if its line
 * cannot be written.
 */
static char *make_line(struct session *s, struct result *result)
{
	const char *log = s->opt->flight.snapshot_log;
	struct diag d;
	char *line;

	if (result->err || !snapshot_line_wanted(s))
		return NULL;
	line = snapshot_line(s, result->text, result->bytes);
	if (!line)
		say("%s: no line of JSON: out of memory", result->text);
	else if (log && append_line(log, line, &d))
		say("--log-snapshots: %s", d.msg);
	if (line && s->opt->flight.on_snapshot)
		result->line_size = strlen(line) + 1;
	return line;
}

static _Noreturn void child_main(struct session *s, pid_t recorder, bool frozen, int report)
{
	struct result result = { 0 };
	struct diag d = { "" };
	char *line;

	become_writer(s, recorder, report);
	result.err = s->have_raw ? rawring_map_again(&s->raw, &d) : 0;
	if (!result.err)
		result.err = write_file(s, frozen, &result, &d);
	if (result.err)
		memcpy(result.text, d.msg, sizeof(d.msg));
	line = make_line(s, &result);
	write_all(&result, sizeof(result), report);
	write_all(line, result.line_size, report);
	_exit(0);
}

/* --- in the recorder ------------------------------------------------------- */

/*
 * Return how many segments to hold. While these are written to disk, the writers need others: a
 * quarter of the segments, or as many as there are CPUs if that is more, but no more than half.
 */
static __u32 hold_most(const struct session *s)
{
	const __u32 nr = s->raw.ctl->nr_segments;
	__u32 left = nr / 4;

	if (left < s->cpus.nr)
		left = s->cpus.nr < nr / 2 ? s->cpus.nr : nr / 2;
	return nr - (left ? left : 1);
}

/*
 * Did the ring freeze before the main rings were last read? Then a wish of this snapshot has frozen
 * the ring, or look_at_ring() has noted the freeze. A later freeze belongs to another snapshot.
 */
static bool is_frozen(const struct session *s)
{
	const struct flight_wish *w;

	if (!rawring_is_frozen(&s->raw))
		return false;
	for (w = s->flight->writing; w; w = w->next)
		if (flight_has_frozen(w))
			return true;
	return s->flight->frozen_since;
}

/* Return when the first trigger of this snapshot came, in ns of CLOCK_REALTIME. */
static __u64 time_of_trigger(const struct session *s)
{
	const __u64 now = perf_clock_now(s->clock);
	const __u64 came = s->flight->writing->time;
	struct timespec real;

	clock_gettime(CLOCK_REALTIME, &real);
	return real.tv_sec * NSEC_PER_SEC + real.tv_nsec - (came && came < now ? now - came : 0);
}

/*
 * @frozen: is_frozen(). The ring stays frozen while a wish of an event waits: that wish belongs
 * to the same freeze.
 */
static int hold(struct session *s, bool frozen)
{
	const bool thaw = frozen && !flight_event_waits(s->flight);
	const __u32 flags = PERFAUX_FLUSH_SPANS | (thaw ? PERFAUX_HOLD_THAW : 0);
	const int held = rawring_hold(&s->raw, flags, hold_most(s));

	if (thaw) {
		/* The trigger is served, and a HOLD that failed has not thawed the ring. */
		if (held < 0)
			rawring_thaw(&s->raw);
		flight_thawed(s);
	}
	return held;
}

static void answer(struct session *s, const struct flight_wish *list, const char *how,
		   const char *text)
{
	size_t i;

	for (; list; list = list->next)
		for (i = 0; i < list->nr_tokens; i++)
			control_answer(s->flight->control, list->tokens[i], "%s %s", how,
				       text);
}

static void dump_failed(struct session *s, const char *why)
{
	struct flight *f = s->flight;

	f->stats.failed++;
	flight_tell_failed(s, why);
	answer(s, f->writing, "error", why);
	flight_wishes_free(f->writing);
	f->writing = NULL;
	if (s->have_raw)
		rawring_unhold_all(&s->raw);
}

/*
 * Make room for what comes while the child writes. Half of the room is for samples; sideband is
 * kept in any case.
 */
static void share(struct session *s)
{
	struct flight *f = s->flight;

	if (recent_share(f->recent, wanted_begin(s), s->flushed_time,
			 s->have_raw ? rawring_history(&s->raw) : ~0ULL))
		f->stats.not_kept++;
	f->memory.meanwhile = recent_room(f->recent) / 2;
}

int flight_dump_begin(struct session *s)
{
	struct flight *f = s->flight;
	const pid_t self = getpid();
	bool frozen = false;
	int fds[2];

	f->number++;
	/* Read the clock here, because the child has no mapping of the clock. */
	f->writing_since = time_of_trigger(s);
	if (s->have_raw) {
		int held;

		frozen = is_frozen(s);
		held = hold(s, frozen);
		if (held < 0) {
			char why[128];

			snprintf(why, sizeof(why), "the raw ring's segments cannot be held: %s",
				 strerror(-held));
			dump_failed(s, why);
			return 0;
		}
		/*
		 * HOLD has ended spans. If a gap ended before such a span, the module publishes
		 * the gap before the span, see module/ring/gap.c. Read these gaps now: they tell
		 * what was lost to the freeze that HOLD thawed.
		 */
		flight_gaps(s);
	}
	if (pipe2(fds, O_CLOEXEC)) {
		dump_failed(s, strerror(errno));
		return 0;
	}
	share(s);
	f->child = keep_fork();
	if (!f->child)
		child_main(s, self, frozen, fds[1]);
	close(fds[1]);
	if (f->child < 0) {
		f->child = 0;
		recent_unshare(f->recent);
		close(fds[0]);
		dump_failed(s, strerror(errno));
		return 0;
	}
	f->result_fd = fds[0];
	f->added = 0;
	return 0;
}

/* Return whether all of it was read. */
static bool read_all(int fd, void *to, size_t size)
{
	size_t have = 0;

	while (have < size) {
		const ssize_t n = read(fd, (char *)to + have, size - have);

		if (n > 0)
			have += n;
		else if (!n || errno != EINTR)
			return false;
	}
	return true;
}

/* Read the line after the result. The caller frees it. A failure does not harm the snapshot. */
static char *read_line(int fd, const struct result *result)
{
	char *line;

	if (!result->line_size)
		return NULL;
	line = malloc(result->line_size);
	if (line && read_all(fd, line, result->line_size))
		return line;
	say("--on-snapshot: %s: no command: its line could not be read", result->text);
	free(line);
	return NULL;
}

/* If the command cannot keep up with the snapshots, the recorder does not wait for it. */
static void run_hook(struct session *s, const char *path, const char *line)
{
	const int err = line ? hook_run(&s->flight->hook, path, line) : 0;

	if (err)
		say("--on-snapshot: %s: no command, because %s", path, err == -EAGAIN ?
		    "too many snapshots wait for theirs" : err == -EMSGSIZE ?
		    "the line is too long" : "the process that runs commands is gone");
}

static void succeeded(struct session *s, const struct result *result, const char *line)
{
	struct flight *f = s->flight;
	const __u64 took = perf_clock_now(s->clock) - f->writing->time;

	f->stats.snapshots++;
	f->stats.bytes += result->bytes;
	f->stats.last = f->writing_since;
	if (took > f->stats.longest_ns)
		f->stats.longest_ns = took;
	flight_files_add(&f->files, result->text);
	run_hook(s, result->text, line);
	flight_tell_written(s, result->text, result->bytes, &result->facts);
	answer(s, f->writing, "ok", result->text);
	flight_wishes_free(f->writing);
	f->writing = NULL;
	flight_remove_old(s, result->text);
}

/* The recorder is done with the child, whether the child has ended or not. */
static void let_go(struct flight *f)
{
	close(f->result_fd);
	f->result_fd = -1;
	f->child = 0;
}

/* A second signal means: do not wait. Return false if the child still waits for a disk then. */
static bool wait_for_result(struct session *s)
{
	struct flight *f = s->flight;
	struct pollfd p = { .fd = f->result_fd, .events = POLLIN };
	unsigned int killed = 0;

	while (poll(&p, 1, 1000) <= 0) {
		flight_watch(s);
		flight_busy(s);
		if (signals_count() < 2)
			continue;
		if (killed++ == KILLED_LOOKS)
			return false;
		kill(f->child, SIGKILL);
	}
	return true;
}

void flight_dump_give_up(struct session *s, const char *why)
{
	s->flight->number++;
	dump_failed(s, why);
}

void flight_dump_end(struct session *s, bool wait)
{
	struct flight *f = s->flight;
	struct pollfd p = { .fd = f->result_fd, .events = POLLIN };
	struct result result;
	char *line = NULL;
	int status;
	bool done;

	if (!f->child)
		return;
	if (wait && !wait_for_result(s)) {
		let_go(f);
		dump_failed(s, "the process that writes it was killed, and waits for the disk");
		return;
	}
	if (!wait && poll(&p, 1, 0) <= 0)
		return;
	done = read_all(f->result_fd, &result, sizeof(result));
	if (done)
		line = read_line(f->result_fd, &result);
	while (waitpid(f->child, &status, 0) < 0 && errno == EINTR)
		;
	let_go(f);
	recent_unshare(f->recent);
	flight_tell_dropped(s);
	/* The child removed snapshots to make room, even if that did not suffice. */
	if (done)
		f->stats.removed += result.removed;
	if (!done)
		dump_failed(s, "the process that writes it was killed; the file may be there");
	else if (result.err)
		dump_failed(s, result.text);
	else
		succeeded(s, &result, line);
	free(line);
	if (s->have_raw)
		rawring_unhold_all(&s->raw);
}
