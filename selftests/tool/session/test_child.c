// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test of tool/session/child.c: a signal that comes right after fork() ends the command. The
 * recorder's handlers, which the child has until it restores the defaults, do not swallow it.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tap.h"
#include "../flight/wrap.h"
#include "session/session.h"
#include "session/signals.h"

static int early;

pid_t __wrap_fork(void)
{
	const pid_t pid = __real_fork();

	if (!pid && early)
		raise(early);
	return pid;
}

static char *command[] = { "true", NULL };
static struct options options = { .output = "f", .cmd = command };

/* Return the wait status of the command, whose process gets @sig right after fork(). */
static int run(int sig)
{
	struct session s = { .opt = &options, .go_fd = -1, .exec_fd = -1 };
	struct diag d;

	early = sig;
	if (child_fork(&s, &d))
		return -1;
	early = 0;
	child_start(&s, &d);
	return waitpid(s.child, &s.child_status, 0) == s.child ? s.child_status : -1;
}

int main(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t blocked;
	unsigned int i;
	int status;

	tap_report(!signals_init(), "signals");
	status = run(0);
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	tap_report(!status && !sigismember(&blocked, SIGINT), "a command that ends by itself");
	for (i = 0; i < ARRAY_LEN(sigs); i++) {
		status = run(sigs[i]);
		tap_report(WIFSIGNALED(status) && WTERMSIG(status) == sigs[i],
			   "signal %d right after fork(): status %#x", sigs[i], status);
	}
	return tap_end();
}
