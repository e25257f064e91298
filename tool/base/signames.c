// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of signals, which ones auxrec leaves to the user, and what they do to a task.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/parse_time.h"
#include "base/signames.h"

enum {
	FREE	= 1,		/* see signal_is_free() */
	LIVES	= 2,		/* by default the task ignores it, stops or continues */
	CORE	= 4,		/* dumps core by default */
};

/* See signal(7). SIGNALS_FREE lists the same signals as FREE here. */
static const struct {
	const char *name;
	int sig;
	int is;
} signals[] = {
	{ "HUP",	SIGHUP,		0 },
	{ "INT",	SIGINT,		0 },
	{ "QUIT",	SIGQUIT,	FREE | CORE },
	{ "ILL",	SIGILL,		CORE },
	{ "TRAP",	SIGTRAP,	CORE },
	{ "ABRT",	SIGABRT,	CORE },
	{ "IOT",	SIGIOT,		CORE },
	{ "BUS",	SIGBUS,		CORE },
	{ "FPE",	SIGFPE,		CORE },
	{ "KILL",	SIGKILL,	0 },
	{ "USR1",	SIGUSR1,	FREE },
	{ "SEGV",	SIGSEGV,	CORE },
	{ "USR2",	SIGUSR2,	0 },
	{ "PIPE",	SIGPIPE,	0 },
	{ "ALRM",	SIGALRM,	FREE },
	{ "TERM",	SIGTERM,	0 },
#ifdef SIGSTKFLT
	{ "STKFLT",	SIGSTKFLT,	0 },
#endif
	{ "CHLD",	SIGCHLD,	LIVES },
	{ "CONT",	SIGCONT,	LIVES },
	{ "STOP",	SIGSTOP,	LIVES },
	{ "TSTP",	SIGTSTP,	LIVES },
	{ "TTIN",	SIGTTIN,	LIVES },
	{ "TTOU",	SIGTTOU,	LIVES },
	{ "URG",	SIGURG,		FREE | LIVES },
	{ "XCPU",	SIGXCPU,	CORE },
	{ "XFSZ",	SIGXFSZ,	CORE },
	{ "VTALRM",	SIGVTALRM,	FREE },
	{ "PROF",	SIGPROF,	FREE },
	{ "WINCH",	SIGWINCH,	LIVES },
	{ "IO",		SIGIO,		FREE },
	{ "POLL",	SIGPOLL,	FREE },
	{ "PWR",	SIGPWR,		FREE },
	{ "SYS",	SIGSYS,		CORE },
};

/* The kernel's last signal. glibc reserves the first two real-time signals. */
#define LAST_SIGNAL	64

static bool is_realtime(int sig)
{
	return sig >= SIGRTMIN && sig <= SIGRTMAX;
}

/* Parse the "+3" or "-1" after RTMIN or RTMAX. Return 3 or 1; 0: @s is empty; -1: @s is wrong. */
static int offset(const char *s, char sign)
{
	const char *end;
	__u64 nr;

	if (!*s)
		return 0;
	if (*s != sign || parse_digits(s + 1, &end, &nr) || *end ||
	    nr > LAST_SIGNAL)
		return -1;
	return nr;
}

static int realtime(const char *s)
{
	int sig = 0, plus;

	if (!strncasecmp(s, "RTMIN", 5)) {
		plus = offset(s + 5, '+');
		if (plus >= 0)
			sig = SIGRTMIN + plus;
	} else if (!strncasecmp(s, "RTMAX", 5)) {
		plus = offset(s + 5, '-');
		if (plus >= 0)
			sig = SIGRTMAX - plus;
	}
	return is_realtime(sig) ? sig : 0;
}

int signal_by_name(const char *s)
{
	const char *end;
	__u64 nr;
	size_t i;

	if (!parse_digits(s, &end, &nr))
		return *end || nr > LAST_SIGNAL ? 0 : nr;
	if (!strncasecmp(s, "SIG", 3))
		s += 3;
	for (i = 0; i < ARRAY_LEN(signals); i++) {
		if (!strcasecmp(s, signals[i].name))
			return signals[i].sig;
	}
	return realtime(s);
}

void signal_name(int sig, char name[SIGNAL_NAME_MAX])
{
	size_t i;

	if (is_realtime(sig)) {
		const int plus = sig - SIGRTMIN;

		if (plus)
			snprintf(name, SIGNAL_NAME_MAX, "RTMIN+%d", plus);
		else
			snprintf(name, SIGNAL_NAME_MAX, "RTMIN");
		return;
	}
	for (i = 0; i < ARRAY_LEN(signals); i++) {
		if (signals[i].sig == sig) {
			snprintf(name, SIGNAL_NAME_MAX, "%s", signals[i].name);
			return;
		}
	}
	snprintf(name, SIGNAL_NAME_MAX, "%d", sig);
}

static int what_is(int sig)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(signals); i++) {
		if (signals[i].sig == sig)
			return signals[i].is;
	}
	return is_realtime(sig) ? FREE : 0;
}

bool signal_is_free(int sig)
{
	return what_is(sig) & FREE;
}

bool signal_is_fatal(int sig)
{
	return !(what_is(sig) & LIVES);
}

__u64 signals_of_core(void)
{
	__u64 mask = 0;
	size_t i;

	for (i = 0; i < ARRAY_LEN(signals); i++) {
		if (signals[i].is & CORE)
			mask |= 1ULL << (signals[i].sig - 1);
	}
	return mask;
}
