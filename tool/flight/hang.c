// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers of tasks that hang. A timer makes the recorder look at the task, LOOKS times in the
 * time that the task may stand still.
 *
 * A look reads /proc/PID/schedstat, which tells for how long and how often the task has run. If
 * these numbers have changed, the task has run, and the look is over. schedstat also tells for how
 * long the task has waited, but that number also changes when the task is moved to another CPU
 * without running: see sched_info_dequeue(). Otherwise the look reads the task's state as well:
 *
 * D   The task has been in this uninterruptible sleep since the last change, because a task changes
 *     its state to D only while it runs.
 * R   The task waits for a CPU. The task may have slept before, so the time counts from the first
 *     look that sees the task in R.
 *
 * In all other states the task does not hang: it sleeps until something happens, or is stopped. In
 * these states, a server that waits for requests looks the same as a deadlock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "flight/flight.h"
#include "flight/hang.h"

#define LOOKS		4

struct ran {
	unsigned long long time;	/* ns */
	unsigned long long times;
};

struct flight_hang {
	struct flight_hang *next;
	struct trigger *trigger;
	__u32 process;			/* of the task, for --only-trigger-task */
	int timer;			/* -1: the task has ended */
	int schedstat, stat;
	struct ran ran;			/* how the task had run when that last changed */
	__u64 changed;			/* now_ns() when the last change was seen */
	__u64 ready;			/* now_ns() of the first look that saw R, or 0 */
	bool told;			/* this hang has its wish */
};

/* Read a small file from its beginning into @buf, with a NUL. Return its length, or -errno. */
static ssize_t look(int fd, char *buf, size_t size)
{
	const ssize_t n = pread(fd, buf, size - 1, 0);

	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

static int open_file(const struct hang *h, const char *name, int *fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", h->pid, name);
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

/*
 * Read how a task has run. Return 0, -ESRCH if it has ended, -EOPNOTSUPP if the kernel does not
 * count, or another -errno.
 */
static int look_ran(int fd, struct ran *ran)
{
	unsigned long long waited;
	char buf[96];
	const ssize_t n = look(fd, buf, sizeof(buf));

	if (n <= 0)
		return n ?: -ESRCH;
	if (sscanf(buf, "%llu %llu %llu", &ran->time, &waited, &ran->times) != 3)
		return -EIO;
	/* proc_pid_schedstat() writes this if the kernel does not count. */
	return ran->time || waited || ran->times ? 0 : -EOPNOTSUPP;
}

static int open_task(struct flight_hang *h, struct diag *d)
{
	const struct trigger *t = h->trigger;
	int err;

	err = open_file(&t->hang, "stat", &h->stat);
	if (err == -ENOENT)
		return diag(d, -ESRCH, "--trigger %s: there is no process or thread %d", t->name,
			    t->hang.pid);
	if (!err)
		err = open_file(&t->hang, "schedstat", &h->schedstat);
	if (!err)
		err = look_ran(h->schedstat, &h->ran);
	if (err == -ENOENT || err == -EOPNOTSUPP)
		return diag(d, -EOPNOTSUPP, "--trigger %s: this kernel does not count when tasks run: it must have CONFIG_SCHEDSTATS",
			    t->name);
	return err ? diag(d, err, "--trigger %s: /proc/%d: %s", t->name, t->hang.pid,
			  strerror(-err)) : 0;
}

/* Return the process of a thread, or @task if that is not known. */
static __u32 process_of(pid_t task)
{
	char path[64], line[128];
	unsigned int pid = task;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", task);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Tgid: %u", &pid) != 1)
		;
	if (f)
		fclose(f);
	return pid;
}

static int open_timer(struct session *s, struct flight_hang *h, struct diag *d)
{
	const __u64 ns = h->trigger->hang.time / LOOKS;
	const struct timespec time = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
	const struct itimerspec timer = { .it_interval = time, .it_value = time };
	struct epoll_event ev = { .events = EPOLLIN };

	h->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (h->timer < 0 || timerfd_settime(h->timer, 0, &timer, NULL) ||
	    epoll_ctl(s->flight->epoll_fd, EPOLL_CTL_ADD, h->timer, &ev))
		return diag(d, -errno, "--trigger %s: timer: %s", h->trigger->name,
			    strerror(errno));
	return 0;
}

/*
 * The child that writes a snapshot has a copy of the timer's descriptor for a moment, so close()
 * alone may leave the timer in the epoll set.
 */
static void stop(struct session *s, struct flight_hang *h)
{
	if (h->timer >= 0) {
		epoll_ctl(s->flight->epoll_fd, EPOLL_CTL_DEL, h->timer, NULL);
		close(h->timer);
	}
	if (h->schedstat >= 0)
		close(h->schedstat);
	if (h->stat >= 0)
		close(h->stat);
	h->timer = -1;
	h->schedstat = -1;
	h->stat = -1;
}

int flight_hang_open(struct session *s, const struct trigger *t, struct diag *d)
{
	struct flight_hang *h = calloc(1, sizeof(*h));
	int err;

	if (!h)
		return diag(d, -ENOMEM, "out of memory");
	h->trigger = (struct trigger *)t;
	h->timer = -1;
	h->schedstat = -1;
	h->stat = -1;
	h->next = s->flight->hang;
	s->flight->hang = h;
	err = open_task(h, d);
	if (!err && s->opt->flight.only_task)
		h->process = process_of(t->hang.pid);
	h->changed = now_ns();
	return err ?: open_timer(s, h, d);
}

/* Return the task's state, which follows its name in parentheses, or 'X' if the task has ended. */
static char state_of(const struct flight_hang *h)
{
	const char *end;
	char buf[512];

	if (look(h->stat, buf, sizeof(buf)) <= 0)
		return 'X';
	end = strrchr(buf, ')');
	return end && end[1] ? end[2] : 'X';
}

/* The task has not run since @h->changed. Return for how long it has hung. */
static __u64 hung_for(struct flight_hang *h, char state, __u64 now)
{
	if (state == 'D')
		return now - h->changed;
	if (state != 'R') {
		h->ready = 0;
		return 0;
	}
	if (!h->ready) {
		h->ready = now_ns();
		return 0;
	}
	return now - h->ready;
}

static void has_ended(struct session *s, struct flight_hang *h)
{
	say("trigger %s: %d has ended, and is not watched any more", h->trigger->name,
	    h->trigger->hang.pid);
	stop(s, h);
}

static void look_at_task(struct session *s, struct flight_hang *h)
{
	/*
	 * Take the time of this look, at which a hang may end, before the look. A hang begins at a
	 * time that is taken after a look. So if the recorder is stopped during a look, the hang
	 * does not seem longer than it was.
	 */
	const __u64 now = now_ns();
	struct ran ran;
	char state;

	if (look_ran(h->schedstat, &ran)) {
		has_ended(s, h);
		return;
	}
	if (ran.time != h->ran.time || ran.times != h->ran.times) {
		h->ran = ran;
		h->changed = now_ns();
		h->ready = 0;
		h->told = false;
		return;
	}
	state = state_of(h);
	if (state == 'Z' || state == 'X') {
		has_ended(s, h);
	} else if (hung_for(h, state, now) >= h->trigger->hang.time && !h->told) {
		const __u64 time = perf_clock_now(s->clock);

		h->told = true;
		flight_wish(s, h->trigger, NULL, time, 0, NULL, 0);
		flight_wish_task(s, h->trigger, h->process, h->trigger->hang.pid, time);
	}
}

void flight_hang_run(struct session *s)
{
	struct flight_hang *h;
	__u64 expired;

	for (h = s->flight->hang; h; h = h->next)
		if (h->timer >= 0 && read(h->timer, &expired, sizeof(expired)) > 0)
			look_at_task(s, h);
}

void flight_hang_close(struct session *s)
{
	struct flight_hang *next;

	for (; s->flight->hang; s->flight->hang = next) {
		next = s->flight->hang->next;
		stop(s, s->flight->hang);
		free(s->flight->hang);
	}
}
