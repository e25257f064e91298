// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stand-in for a recorder, built from auxrec's own parts, for tests of what surrounds a
 * recorder: its unit, its control socket, the daemon.
 *
 * standin SOCKET [AUXREC]		a service, Type=notify
 * standin --daemon PIDFILE LOG SOCKET	a daemon; LOG "-": syslog
 *
 * "status" tells what the process may do. The name of a snapshot tells what to do: "hang" stops
 * everything, also the watchdog's messages; "crash" aborts the process; for any other name,
 * AUXREC records for a moment into a file of that name.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "service/control.h"
#include "service/daemon.h"
#include "service/notify.h"
#include "session/signals.h"

struct standin {
	struct control *control;
	const char *auxrec;
	bool hang;
	bool stop;
	__u64 stopper;
};

static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
	};

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_bpf_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
	};

	return syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr));
}

static void tell(FILE *to, const char *what, int fd)
{
	fprintf(to, "%s: %s\n", what, fd < 0 ? strerror(errno) : "yes");
	if (fd >= 0)
		close(fd);
}

static void status(void *ctx, enum facts_form form, FILE *to)
{
	(void)form;
	(void)ctx;
	fprintf(to, "pid: %d\n", getpid());
	tell(to, "event", open_event());
	tell(to, "bpf", open_bpf_map());
	tell(to, "device", open("/dev/perfaux", O_RDWR | O_CLOEXEC));
	tell(to, "maps", open("/proc/1/maps", O_RDONLY | O_CLOEXEC));
	tell(to, "write etc", open("/etc/standin", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	tell(to, "write here", open("written", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	tell(to, "memory", open("/dev/mem", O_RDONLY | O_CLOEXEC));
	/* ProtectKernelTunables= forbids these */
	tell(to, "write sysctl", open("/proc/sys/kernel/kptr_restrict", O_WRONLY | O_CLOEXEC));
	tell(to, "write sysrq", open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC));
	tell(to, "write sys", open("/sys/kernel/mm/transparent_hugepage/enabled",
				   O_WRONLY | O_CLOEXEC));
	tell(to, "write tracing", open("/sys/kernel/tracing/tracing_on", O_WRONLY | O_CLOEXEC));
	tell(to, "kernel memory", open("/proc/kcore", O_RDONLY | O_CLOEXEC));
}

static int record(struct standin *s, const char *name, __u64 token)
{
	char cmd[512], cwd[256];
	int r;

	if (!getcwd(cwd, sizeof(cwd)))
		return -errno;
	snprintf(cmd, sizeof(cmd),
		 "exec '%s' -a -e cpu-clock -e sched:sched_process_exit -o '%s' -- /bin/true",
		 s->auxrec, name);
	r = system(cmd);
	if (r)
		control_answer(s->control, token, "error auxrec ended with %d", WEXITSTATUS(r));
	else
		control_answer(s->control, token, "ok %s/%s", cwd, name);
	return 0;
}

static int snapshot(void *ctx, const char *name, __u64 token, struct diag *d)
{
	struct standin *s = ctx;

	if (!name)
		return diag(d, -EINVAL, "the stand-in wants a name");
	say("snapshot %s", name);
	if (!strcmp(name, "crash"))
		abort();
	if (s->auxrec && strcmp(name, "hang"))
		return record(s, name, token);
	s->hang = !strcmp(name, "hang");
	control_answer(s->control, token, "ok %s", name);
	return 0;
}

static int stop(void *ctx, __u64 token)
{
	struct standin *s = ctx;

	s->stop = true;
	s->stopper = token;
	return 0;
}

static const struct control_ops ops = { snapshot, status, stop };

static void loop(struct standin *s)
{
	const __u64 interval = notify_watchdog_interval();
	struct pollfd p[2] = {
		{ .fd = control_fd(s->control), .events = POLLIN },
		{ .fd = signals_fd(), .events = POLLIN },
	};

	while (!s->stop && !signals_stop()) {
		poll(p, 2, interval ? (int)(interval / 1000000) : -1);
		signals_fd();
		control_run(s->control);
		while (s->hang)
			pause();
		notify_watchdog();
	}
}

int main(int argc, char **argv)
{
	struct daemon_options opt = { NULL, NULL };
	struct standin s = { NULL };
	struct diag d;

	if (argc == 5 && !strcmp(argv[1], "--daemon")) {
		opt.pid_file = argv[2];
		opt.log = strcmp(argv[3], "-") ? argv[3] : NULL;
		if (daemon_begin(&opt, &d))
			goto failed;
		argv += 3;
		argc -= 3;
	}
	if (argc < 2)
		return 2;
	s.auxrec = argc > 2 ? argv[2] : NULL;
	notify_init();
	signals_init();
	s.control = control_open(argv[1], &ops, &s, &d);
	if (!s.control || daemon_ready(&d))
		goto failed;
	say("recording");
	notify_status("recording, watchdog every %llu ms",
		      (unsigned long long)(notify_watchdog_interval() / 1000000));
	notify_ready();
	loop(&s);
	notify_stopping();
	say("stopped");
	control_answer(s.control, s.stopper, "ok");
	control_close(s.control);
	daemon_end();
	return 0;
failed:
	say("%s", d.msg);
	return 125;
}
