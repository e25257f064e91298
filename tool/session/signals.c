// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handle signals: handlers set flags and wake poll() through a pipe. Handlers of signals that
 * end the recording have no SA_RESTART, so that a write to a reader that does not read returns.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "session/signals.h"

/* Handlers write these, and one handler can interrupt another. */
static int stop, forward, count, give_up, merge;
static unsigned int triggered[_NSIG];

#define get(v)		__atomic_load_n(&(v), __ATOMIC_SEQ_CST)
#define set(v, x)	__atomic_store_n(&(v), x, __ATOMIC_SEQ_CST)
static int wake[2] = { -1, -1 };

static void wake_up(void)
{
	const int err = errno;

	/* If the pipe is full, poll() is awake already. */
	if (write(wake[1], "", 1) < 0)
		errno = err;
	errno = err;
}

static void on_stop(int sig, siginfo_t *info, void *context)
{
	(void)context;
	/*
	 * When a terminal is closed, its shell sends SIGHUP to its jobs. When the shell ends, the
	 * kernel sends SIGHUP to the foreground. So a second SIGHUP is not a second request.
	 */
	if (sig == SIGHUP && get(stop))
		return;
	if (!get(stop)) {
		set(forward, info->si_code <= 0);
		set(stop, sig);
	}
	if (__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST) > 1)
		set(give_up, 1);
	wake_up();
}

static void on_child(int sig)
{
	(void)sig;
	wake_up();
}

int signals_init(void)
{
	struct sigaction stopping = {
		.sa_sigaction = on_stop,
		.sa_flags = SA_SIGINFO,
	};
	struct sigaction child = {
		.sa_handler = on_child,
		.sa_flags = SA_RESTART | SA_NOCLDSTOP,
	};
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction old;

	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	sigaction(SIGINT, &stopping, NULL);
	sigaction(SIGTERM, &stopping, NULL);
	/* If SIGHUP is ignored, nohup(1) wants the recording to go on without a terminal. */
	if (sigaction(SIGHUP, NULL, &old) || old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &stopping, NULL);
	sigaction(SIGCHLD, &child, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	sigaction(SIGXFSZ, &ignore, NULL);
	return 0;
}

int signals_fd(void)
{
	char buf[64];

	/* The caller looks at the signals only after this call, and therefore misses none. */
	while (!get(stop) && read(wake[0], buf, sizeof(buf)) > 0)
		;
	return wake[0];
}

void signals_wake(void)
{
	wake_up();
}

int signals_stop(void)
{
	return get(stop);
}

bool signals_stop_forward(void)
{
	return get(stop) && get(forward);
}

int signals_count(void)
{
	return get(count);
}

const int *signals_give_up(void)
{
	return &give_up;
}

static void on_trigger(int sig)
{
	__atomic_add_fetch(&triggered[sig], 1, __ATOMIC_SEQ_CST);
	wake_up();
}

int signals_trigger(int sig)
{
	struct sigaction trigger = {
		.sa_handler = on_trigger,
		.sa_flags = SA_RESTART,
	};

	return sigaction(sig, &trigger, NULL) ? -errno : 0;
}

unsigned int signals_triggered(int sig)
{
	return __atomic_exchange_n(&triggered[sig], 0, __ATOMIC_SEQ_CST);
}

static void on_merge(int sig, siginfo_t *info, void *context)
{
	set(merge, 1);
	on_stop(sig, info, context);
}

int signals_merge_init(void)
{
	struct sigaction merging = {
		.sa_sigaction = on_merge,
		.sa_flags = SA_SIGINFO,
	};

	return sigaction(SIGUSR2, &merging, NULL) ? -errno : 0;
}

bool signals_merge(void)
{
	return get(merge);
}

void signals_reset(void (*handler)(int sig))
{
	struct sigaction action = { .sa_handler = handler };
	int sig;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	for (sig = 1; sig < _NSIG; sig++) {
		struct sigaction old;

		if (!sigaction(sig, NULL, &old) && old.sa_handler == on_trigger)
			sigaction(sig, &action, NULL);
	}
}
