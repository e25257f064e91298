// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording from its beginning to its end: the recorder's main function and its loop.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command_line.h"
#include "base/version.h"
#include "cli/help.h"
#include "cli/options.h"
#include "session/buildid.h"
#include "synth/kallsyms.h"
#include "bpf/bpf.h"
#include "record/late_ids.h"
#include "record/losses.h"
#include "record/payloads.h"
#include "record/record.h"
#include "stream/records.h"
#include "session/signals.h"
#include "synth/synth.h"
#include "record/wait.h"

#define EXIT_RECORDING		125	/* the recording failed */
/* After the end, read the rings until no more records come, at most this often; usually once. */
#define DRAIN_PASSES		1000

static int copy_rings(struct session *s, enum losses_which which)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < s->nr_rings; i++) {
		err = session_copy_ring(s, &s->rings[i]);
		if (!err)
			err = losses_look(s, &s->rings[i], which);
	}
	return err;
}

/*
 * Look at all rings once. First read how far the main rings are written, then which
 * spans of the raw ring are active. So this look finds all AUX data up to the time of
 * the main rings' records, except for spans that are still active, which hold the round
 * back.
 */
static int look_at_rings(struct session *s, bool last, enum losses_which which)
{
	const __u64 records = s->out.records;
	size_t i;
	int err = 0;

	for (i = 0; i < s->nr_rings; i++)
		mainring_snapshot(&s->rings[i]);
	s->bpf_settled = bpf_settled(s->bpf);
	/* Infos come before the BPF_EVENTs: at a BPF_EVENT, readers look for the program's info. */
	err = bpf_write(s);
	/* A snapshot after an error must still know the gaps of the data that it has. */
	if (s->have_raw && (!err || s->mode->keeps)) {
		const int raw = s->mode->raw(s, last);

		err = err ?: raw;
	}
	if (!err)
		err = copy_rings(s, which);
	if (!err && s->have_payloads && !s->mode->keeps)
		err = payload_pass(s, last);
	/* Ids come after the map records to which they belong. */
	if (!err)
		err = ids_pass(s);
	return err ?: s->mode->looked(s, records, last);
}

static int pass(struct session *s)
{
	return look_at_rings(s, false, LOSSES_LIKELY);
}

/* Have all tasks of -p or -t ended, and all their descendants? */
static bool targets_gone(const struct session *s)
{
	size_t i, j;

	for (i = 0; i < s->nr_sev; i++) {
		const struct sev *sev = &s->sev[i];

		for (j = 0; sev->sideband && j < sev->nr_fds; j++) {
			struct pollfd p = { .fd = sev->fds[j].fd };

			if (sev->fds[j].cpu != sev->fds[0].cpu)
				continue;
			if (poll(&p, 1, 0) < 0 || !(p.revents & POLLHUP))
				return false;
		}
	}
	return true;
}

static const char *stop_reason(int sig)
{
	switch (sig) {
	case SIGINT:
		return "interrupted";
	case SIGHUP:
		return "terminal closed (SIGHUP)";
	case SIGUSR2:
		return "asked to merge (SIGUSR2)";
	default:
		return "terminated";
	}
}

static bool is_over(struct session *s)
{
	const char *over = s->mode->over ? s->mode->over(s) : NULL;

	if (over) {
		s->end_reason = over;
		return true;
	}
	if (signals_stop()) {
		s->end_reason = stop_reason(signals_stop());
		return true;
	}
	if (s->opt->max_bytes && s->out.stored >= s->opt->max_bytes) {
		s->end_reason = "--max-size reached";
		return true;
	}
	if (s->child) {
		child_reap(s);
		if (s->child_done)
			s->end_reason = "command ended";
		return s->child_done;
	}
	if (s->opt->nr_targets && targets_gone(s)) {
		s->end_reason = "recorded tasks ended";
		return true;
	}
	return false;
}

/* Enable or disable events a few at a time. In between read the rings, until that fails. */
static int switch_events(struct session *s, unsigned long request, bool sideband,
			 int err)
{
	struct session_switch sw = { .request = request, .sideband = sideband };

	while (!session_switch_some(s, &sw))
		if (!err)
			err = pass(s);
	return err;
}

static int enable(struct session *s, struct diag *d)
{
	if (s->opt->bpf_ring) {
		const int err = bpf_ring_store(s, d);

		if (err)
			return err;
	}
	return switch_events(s, PERF_EVENT_IOC_ENABLE, false, 0);
}

/* The sideband's events come last, because samples cannot be read without sideband. */
static int disable(struct session *s, int err)
{
	bpf_ring_clear(s);
	err = switch_events(s, PERF_EVENT_IOC_DISABLE, false, err);
	err = switch_events(s, PERF_EVENT_IOC_DISABLE, true, err);
	session_detach(s);
	return err;
}

static int run_mode(struct session *s)
{
	int err = 0;

	s->mode->run(s);
	/* Only records of a time before the previous look are complete, so look once more. */
	if (s->mode->is_due(s))
		err = look_at_rings(s, false, LOSSES_POSSIBLE);
	if (!err)
		s->mode->write_due(s);
	return err;
}

static int loop(struct session *s, struct diag *d)
{
	const __u64 begin = now_ns();
	const __u64 delay = s->opt->delay_ms * 1000000ULL;
	bool enabled = !delay;
	struct waiting w;
	int err;

	err = wait_begin(&w, s);
	if (!err && s->mode->begun)
		err = s->mode->begun(s, d);
	while (!err && !is_over(s)) {
		int timeout = wait_timeout(&w, s);

		if (!enabled) {
			__u64 gone = now_ns() - begin;

			if (gone >= delay) {
				err = enable(s, d);
				enabled = true;
				wait_no_longer(&w);
				timeout = WAIT_TICK_MS;
			} else {
				timeout = wait_sooner(timeout, delay - gone);
			}
		}
		if (s->mode->timeout)
			timeout = s->mode->timeout(s, timeout);
		if (!err)
			err = wait_events(&w, s, timeout);
		if (!err)
			err = pass(s);
		if (!err && s->mode->run)
			err = run_mode(s);
		if (!err)
			status_show(s);
	}
	wait_end(&w);
	return err;
}

/* Read all that the rings contain. */
static int drain(struct session *s)
{
	__u64 records;
	int err, i = 0;

	do {
		records = s->out.records;
		err = pass(s);
	} while (!err && s->out.records > records + 1 && ++i < DRAIN_PASSES);

	if (!err)
		err = ids_finish(s);
	/* No event is attached any more, so a missing number will not come. */
	return err ?: look_at_rings(s, true, LOSSES_ALL);
}

/* After an error, count the records that the rings still contain, and those that they lost. */
static void count_rest(struct session *s)
{
	size_t i;

	s->discard = true;
	for (i = 0; i < s->nr_rings; i++)
		mainring_snapshot(&s->rings[i]);
	copy_rings(s, LOSSES_ALL);
}

/*
 * Stop all events, and write the rest of the records and the losses. After an error a flight
 * recorder still writes the snapshots that triggers have called for.
 */
static int finish(struct session *s, int err)
{
	err = disable(s, err);
	bpf_stop(s);
	if (!err)
		err = drain(s);
	if (err && !s->mode->keeps)
		count_rest(s);
	return s->mode->finish(s, err);
}

static const char *written_text(const struct session *s)
{
	return s->out.bytes ? "what was written is valid" : "nothing was written";
}

static const char *problem_text(const struct session *s, int err,
				const struct diag *d)
{
	static char text[1200];

	switch (err) {
	case 0:
		return NULL;
	case -EPIPE:
		return "the reader of the stream has gone, recording ended";
	case -ENOSPC:
	case -EDQUOT:
		snprintf(text, sizeof(text), "%s: %s, recording ended; %s", s->opt->output,
			 err == -ENOSPC ? "no space left" : "disk quota exceeded",
			 written_text(s));
		return text;
	case -EFBIG:
		snprintf(text, sizeof(text),
			 "%s: the file cannot grow further (ulimit -f), recording ended; %s",
			 s->opt->output, written_text(s));
		return text;
	case -EINTR:
		return "gave up waiting for the reader of the stream";
	case -EBADMSG:
		return "a main ring has an impossible record, recording ended";
	}
	if (d->msg[0])
		return d->msg;
	snprintf(text, sizeof(text), "%s: %s", s->opt->output, strerror(-err));
	return text;
}

/* The command may run longer than the recording. Wait for it: auxrec returns its exit status. */
static void wait_child(struct session *s)
{
	const int begin = signals_count();
	int seen = begin;

	while (s->child && !s->child_done) {
		if (waitpid(s->child, &s->child_status, 0) == s->child) {
			s->child_done = true;
		} else if (errno != EINTR) {
			break;
		} else if (signals_count() > seen) {
			/* The first signal here ends the command, a later one kills it. */
			seen = signals_count();
			child_kill(s, seen > begin + 1 ? SIGKILL : SIGTERM);
		}
	}
}

static int exit_status(const struct session *s, int err)
{
	if (s->child_errno)
		return s->child_errno == ENOENT ? 127 : 126;
	if (err)
		return EXIT_RECORDING;
	if (!s->child || !s->child_done)
		return 0;
	if (WIFSIGNALED(s->child_status))
		return 128 + WTERMSIG(s->child_status);
	return WEXITSTATUS(s->child_status);
}

/* Return @err, or if that is 0 the error of writing the summary. */
static int summarize(struct session *s, const char *problem, int err)
{
	struct diag d = { "" };
	int json = 0;

	if (s->opt->json) {
		json = summary_json(s, problem, &d);
		if (json)
			say("%s", d.msg);
	}
	/* If the JSON summary could not be written, the losses must still be reported. */
	if (json || (!s->opt->json && !s->opt->quiet))
		summary_print(s, problem);
	return err ? err : json;
}

static int prepare(struct session *s, struct diag *d)
{
	int err = 0;

	if (s->mode->prepare)
		err = s->mode->prepare(s, d);
	if (!err)
		err = session_make_events(s, d);
	/* A mistyped command must not replace an old recording, so check it before the output. */
	if (!err && s->opt->cmd)
		err = child_find(s, d);
	if (!err && s->opt->cmd)
		err = child_fork(s, d);
	if (!err)
		err = session_find_targets(s, d);
	/* Ask for ids before a recorded task maps anything. */
	if (!err)
		ids_open(s);
	if (!err)
		err = child_explain(s, session_open(s, d), d);
	if (!err && s->have_payloads && payload_init(s))
		err = diag(d, -ENOMEM, "out of memory");
	if (!err)
		bpf_open(s);
	if (!err)
		err = summary_open(s, d);
	return err ?: s->mode->open(s, d);
}

static void say_hidden(const struct session *s)
{
	char why[256];

	if (!s->kptr_hidden || !session_records_kernel(s) || s->opt->quiet)
		return;
	kallsyms_why_hidden(why, sizeof(why));
	say("no kernel symbols in this stream: %s", why);
}

static int run(struct session *s, struct diag *d)
{
	struct session_switch sideband = {
		.request = PERF_EVENT_IOC_ENABLE, .sideband = true,
	};
	int err;

	s->out.give_up = signals_give_up();
	s->started = now_ns();
	/* Enable sideband before /proc is read, so that no task or map is missed in between. */
	while (!session_switch_some(s, &sideband))
		;
	if (s->mode->setup)
		s->mode->setup(s, true);
	err = bpf_start(s);
	if (!err)
		err = synth_all(s, d);
	if (s->mode->setup)
		s->mode->setup(s, false);
	if (!err) {
		say_hidden(s);
		/* Unless there is a delay, enable the events before the command runs. */
		if (!s->opt->delay_ms)
			err = enable(s, d);
	}
	if (!err) {
		err = child_start(s, d);
		if (err) {
			/* If the command cannot run, the stream is valid nevertheless. */
			say("%s", d->msg);
			err = 0;
		}
	}
	/* End the child, which will not become the command: wait_child() would wait forever. */
	if (err)
		child_dismiss(s);
	if (!err)
		err = loop(s, d);
	status_clear();
	s->stopped = now_ns();
	if (signals_stop_forward())
		child_stop(s);
	return finish(s, err);
}

static void close_all(struct session *s)
{
	if (s->mode->close)
		s->mode->close(s);
	payload_free(s);
	session_close(s);
	ids_close(s);
	bpf_close(s);
}

/* Check the command line and the events, but do not open anything. */
static int dry_run(struct session *s, struct diag *d)
{
	struct options opt = *s->opt;
	int err = s->mode->defaults ? s->mode->defaults(&opt, d) : 0;

	s->opt = &opt;
	if (!err && s->mode->prepare)
		err = s->mode->prepare(s, d);
	if (!err)
		err = session_make_events(s, d);
	if (!err && opt.cmd)
		err = child_find(s, d);
	if (err)
		say("%s", d->msg);
	close_all(s);
	options_free(&opt);
	return exit_status(s, err);
}

int auxrec_record_main(int argc, char **argv, const struct session_mode *flight)
{
	struct payloads payloads = { .number = 0 };
	struct ids ids = { .fd = -1 };
	struct bpf_reader bpf = { .stop_fd = -1 };
	struct perf_clock clock = { .offset = 0 };
	struct session s = { .go_fd = -1, .exec_fd = -1, .out.fd = -1, .json_fd = -1,
			     .bpf_ring_fd = -1, .ids = &ids, .bpf = &bpf,
			     .payloads = &payloads, .clock = &clock };
	struct diag d = { "" };
	struct options opt;
	const char *problem;
	int err, status;

	err = options_parse(&opt, argc, argv, &d);
	if (err) {
		say("%s", d.msg);
		return EXIT_RECORDING;
	}
	if (opt.command == AUXREC_HELP) {
		options_help();
		return command_flush("auxrec", "the help", stdout) ? 0 : EXIT_RECORDING;
	}
	if (opt.command == AUXREC_VERSION_ONLY) {
		printf("auxrec %s (commit %s)\n", auxrec_version, auxrec_commit);
		return command_flush("auxrec", "the version", stdout) ? 0 : EXIT_RECORDING;
	}

	s.opt = &opt;
	s.mode = opt.flight.on ? flight : &live_mode;
	s.raw.fd = -1;
	if (opt.dry_run)
		return dry_run(&s, &d);
	err = s.mode->defaults ? s.mode->defaults(&opt, &d) : 0;
	if (!err && s.mode->background)
		err = s.mode->background(&opt, &d);
	if (!err) {
		err = signals_init();
		if (err)
			diag(&d, err, "signals: %s", strerror(-err));
	}
	if (!err)
		err = prepare(&s, &d);
	if (err) {
		/* A signal may have ended the child, too: then the message names a wrong reason. */
		say("%s", signals_stop() ?
		    "interrupted before the recording began" : d.msg);
		child_dismiss(&s);
		close_all(&s);
		stream_close(&s.out);
		options_free(&opt);
		return exit_status(&s, err);
	}

	err = run(&s, &d);
	if (!err && s.mode->ended)
		err = s.mode->ended(&s, &d);
	status = stream_close(&s.out);
	if (!err)
		err = status;
	problem = problem_text(&s, err, &d);
	if (problem)
		say("%s", problem);
	err = summarize(&s, problem, err);
	wait_child(&s);
	close_all(&s);
	build_id_cache_free(&s.build_ids);
	status = exit_status(&s, err);
	options_free(&opt);
	return status;
}
