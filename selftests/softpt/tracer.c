// SPDX-License-Identifier: GPL-2.0-only
/* A stepper under ptrace, see tracer.h. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer.h"

#define MAX_TRACEES	1024
#define PAGE		4096
#define VSYSCALL	0xffffffffff600000
#define USER_CS_32	0x23

#define OPTIONS	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
		 PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL)

static const struct tracer_ops *ops;
static struct tracee *tracees[MAX_TRACEES];
static unsigned int nr_seen, nr_images;
static pid_t main_tid;

static struct tracee_image *image_new(void)
{
	struct tracee_image *image = calloc(1, sizeof(*image));

	if (!image)
		err(2, "calloc");
	image->refs = 1;
	image->nr = nr_images++;
	return image;
}

static void image_put(struct tracee_image *image)
{
	if (--image->refs)
		return;
	if (ops->image_free)
		ops->image_free(image);
	free(image);
}

static struct tracee **slot(pid_t tid)
{
	for (int i = 0; i < MAX_TRACEES; i++)
		if (tracees[i] && tracees[i]->tid == tid)
			return &tracees[i];
	return NULL;
}

static pid_t tgid_of(pid_t tid)
{
	char path[64], line[256];
	int tgid = tid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "r");
	if (!file)
		return tid;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	fclose(file);
	return tgid;
}

static struct tracee *tracee_new(pid_t tid)
{
	struct tracee *t = calloc(1, sizeof(*t));
	int i = 0;

	if (!t)
		err(2, "calloc");
	t->tid = tid;
	t->tgid = tgid_of(tid);
	t->nr = nr_seen++;
	t->fresh = true;
	for (int j = 0; j < MAX_TRACEES && !t->image; j++)
		if (tracees[j] && tracees[j]->tgid == t->tgid)
			t->image = tracees[j]->image;
	if (t->image)
		t->image->refs++;
	else
		t->image = image_new();
	while (i < MAX_TRACEES && tracees[i])
		i++;
	if (i == MAX_TRACEES)
		errx(2, "more than %d threads at a time", MAX_TRACEES);
	tracees[i] = t;
	return t;
}

static struct tracee *tracee_get(pid_t tid)
{
	struct tracee **found = slot(tid);

	return found ? *found : tracee_new(tid);
}

/* If the task was killed, there may have been no PTRACE_EVENT_EXIT. */
static void tracee_gone(struct tracee *t)
{
	if (t->inside)
		ops->end_at(t);
	ops->exit(t);
	image_put(t->image);
	*slot(t->tid) = NULL;
	free(t);
}

/* Read word by word: kernels may lack CONFIG_CROSS_MEMORY_ATTACH. */
static unsigned int peek(const struct tracee *t, uint64_t address, void *buf,
			 unsigned int size)
{
	unsigned int done = 0;

	while (done < size) {
		const uint64_t at = (address + done) & -sizeof(long);
		const unsigned int skip = address + done - at;
		unsigned int n = sizeof(long) - skip;
		long word;

		if (n > size - done)
			n = size - done;
		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, t->tid, at, NULL);
		if (errno)
			break;
		memcpy((char *)buf + done, (char *)&word + skip, n);
		done += n;
	}
	return done;
}

unsigned int tracer_read(const struct tracee *t, uint64_t address, void *buf,
			 unsigned int size)
{
	unsigned int done = 0;

	while (done < size) {
		uint64_t from = address + done;
		unsigned int n = PAGE - from % PAGE;
		struct iovec local, remote;

		if (n > size - done)
			n = size - done;
		local = (struct iovec){ (char *)buf + done, n };
		remote = (struct iovec){ (void *)from, n };
		if (process_vm_readv(t->tid, &local, 1, &remote, 1, 0) != n) {
			if (errno == ENOSYS)
				return peek(t, address, buf, size);
			break;
		}
		done += n;
	}
	return done;
}

static void get_regs(struct tracee *t, struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_GETREGS, t->tid, NULL, regs) < 0)
		memset(regs, 0, sizeof(*regs));
}

static bool in_vsyscall(uint64_t ip)
{
	return (ip & -PAGE) == VSYSCALL;
}

static void go_to(struct tracee *t, const struct user_regs_struct *regs,
		  uint64_t ip)
{
	t->ip = ip;
	t->is64 = regs->cs != USER_CS_32;
	if (in_vsyscall(ip) && tracer_read(t, regs->rsp, &t->vsyscall_return, 8) != 8)
		t->vsyscall_return = 0;
}

static void begin(struct tracee *t, const struct user_regs_struct *regs)
{
	t->inside = true;
	go_to(t, regs, regs->rip);
	ops->begin(t);
}

static void stepped(struct tracee *t, const struct user_regs_struct *regs,
		    uint64_t next)
{
	bool is64 = regs->cs != USER_CS_32;

	/*
	 * The kernel emulates the vsyscall page in page faults, so the trap comes
	 * one instruction late.
	 */
	if (in_vsyscall(t->ip) && t->vsyscall_return) {
		ops->end_at(t);
		t->ip = t->vsyscall_return;
		ops->begin(t);
		if (next == t->ip)
			return;
	}
	t->is64 = is64;
	ops->step(t, next);
	go_to(t, regs, next);
}

/*
 * A system call that a signal has interrupted is executed again, unless a handler
 * comes first: arch_do_signal_or_restart() goes back by two bytes.
 */
static uint64_t syscall_return(const struct user_regs_struct *regs)
{
	switch ((long long)regs->rax) {
	case -512:	/* ERESTARTSYS */
	case -513:	/* ERESTARTNOINTR */
	case -514:	/* ERESTARTNOHAND */
	case -516:	/* ERESTART_RESTARTBLOCK */
		return regs->rip - 2;
	}
	return regs->rip;
}

/* Return whether the INT3 at @t->ip has entered the kernel, which leads to a signal. */
static bool was_int3(const struct tracee *t, uint64_t next)
{
	uint8_t byte;

	return t->inside && next == t->ip + 1 &&
	       tracer_read(t, t->ip, &byte, 1) == 1 && byte == 0xcc;
}

/* Returns the signal that the tracee must get. */
static int trapped(struct tracee *t, int code)
{
	struct user_regs_struct regs;

	get_regs(t, &regs);
	switch (code) {
	case TRAP_TRACE:	/* send_sigtrap() of the trap */
		if (t->inside)
			stepped(t, &regs, regs.rip);
		else
			begin(t, &regs);
		return 0;
	case TRAP_BRKPT:	/* user_single_step_report(): end of a system call */
		if (t->inside)
			stepped(t, &regs, syscall_return(&regs));
		else
			begin(t, &regs);
		return 0;
	case SIGTRAP:		/* signal_setup_done(): at a handler */
		if (t->inside)
			ops->end_at(t);
		begin(t, &regs);
		return 0;
	case SI_KERNEL:		/* do_int3_user() */
		if (was_int3(t, regs.rip)) {
			ops->last(t, regs.rip);
			t->inside = false;
		}
		break;
	}
	return SIGTRAP;
}

static void ended(struct tracee *t)
{
	struct user_regs_struct regs;

	if (!t->inside)
		return;
	get_regs(t, &regs);
	if (regs.rip != t->ip)
		ops->last(t, regs.rip);
	else
		ops->end_at(t);
	t->inside = false;
}

/* A thread that is not the leader takes the leader's id. */
static struct tracee *execed(struct tracee *t)
{
	unsigned long former = t->tid;

	ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &former);
	if ((pid_t)former != t->tid && slot(former)) {
		struct tracee *leader = t;

		t = *slot(former);
		former = leader->tid;
		tracee_gone(leader);
		t->tid = former;
	}
	ended(t);
	image_put(t->image);
	t->image = image_new();
	ops->exec(t);
	return t;
}

static void stopped(struct tracee *t, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);
	unsigned long child;
	siginfo_t info;

	switch (event) {
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (!ptrace(PTRACE_GETEVENTMSG, t->tid, NULL, &child))
			tracee_get(child);
		sig = 0;
		break;
	case PTRACE_EVENT_EXEC:
		t = execed(t);
		sig = 0;
		break;
	case PTRACE_EVENT_EXIT:
		ended(t);
		sig = 0;
		break;
	default:
		if (t->fresh && sig == SIGSTOP) {
			t->fresh = false;
			sig = 0;
		} else if (ptrace(PTRACE_GETSIGINFO, t->tid, NULL, &info) < 0) {
			sig = 0;	/* a stop of the whole group */
		} else if (sig == SIGTRAP) {
			sig = trapped(t, info.si_code);
		}
	}
	if (ptrace(PTRACE_SINGLESTEP, t->tid, NULL, (void *)(long)sig) < 0 &&
	    errno != ESRCH)
		err(2, "PTRACE_SINGLESTEP");
}

static void start(char **argv)
{
	int status;

	main_tid = fork();
	if (main_tid < 0)
		err(2, "fork");
	if (!main_tid) {
		personality(ADDR_NO_RANDOMIZE);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
			err(127, "PTRACE_TRACEME");
		raise(SIGSTOP);
		/*
		 * Not execvp(), which would let a shell read a program that this
		 * kernel cannot run.
		 */
		execv(argv[0], argv);
		err(127, "%s", argv[0]);
	}
	if (waitpid(main_tid, &status, 0) < 0 || !WIFSTOPPED(status))
		errx(2, "the child did not stop");
	if (ptrace(PTRACE_SETOPTIONS, main_tid, NULL, (void *)(long)OPTIONS) < 0)
		err(2, "PTRACE_SETOPTIONS");
	tracee_new(main_tid)->fresh = false;
	if (ptrace(PTRACE_CONT, main_tid, NULL, NULL) < 0)
		err(2, "PTRACE_CONT");
}

int tracer_run(const struct tracer_ops *user_ops, char **argv)
{
	int status, result = 0;
	pid_t tid;

	ops = user_ops;
	start(argv);
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			stopped(tracee_get(tid), status);
			continue;
		}
		if (tid == main_tid)
			result = WIFEXITED(status) ? WEXITSTATUS(status) :
						     128 + WTERMSIG(status);
		if (slot(tid))
			tracee_gone(*slot(tid));
	}
	return result;
}
