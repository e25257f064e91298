/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run a program step by step under ptrace, with all its threads and children, and
 * report what each of them does. The tracer knows nothing about packets.
 */
#ifndef TRACER_H
#define TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process, from one exec to the next */
struct tracee_image {
	int refs;
	unsigned int nr;	/* in the order of appearance */
	void *data;		/* the user's */
};

struct tracee {
	pid_t tid;
	pid_t tgid;
	unsigned int nr;	/* in the order of appearance */
	bool fresh;		/* its first stop, a SIGSTOP, is still to come */
	bool inside;		/* user code, at ip */
	bool is64;
	uint64_t ip;		/* the next instruction, not executed yet */
	uint64_t vsyscall_return;	/* if ip is in the vsyscall page */
	struct tracee_image *image;
	void *data;		/* the user's */
};

struct tracer_ops {
	/* User code continues at @t->ip: after exec, after fork, at a signal handler. */
	void (*begin)(struct tracee *t);
	/*
	 * One instruction at @t->ip was executed. @next is the same address if the
	 * instruction is not done (REP) or leads to itself. If the instruction
	 * enters the kernel, @next is where it returns to.
	 */
	void (*step)(struct tracee *t, uint64_t next);
	/*
	 * The instruction at @t->ip does not return: exec, exit, INT3. Or it was
	 * executed and led to @next, and then the thread was killed; if @next is 0,
	 * nobody knows where it led.
	 */
	void (*last)(struct tracee *t, uint64_t next);
	/* A signal came: the instruction at @t->ip will not be executed. */
	void (*end_at)(struct tracee *t);
	/* A new program is in @t->image, or the thread is gone. */
	void (*exec)(struct tracee *t);
	void (*exit)(struct tracee *t);
	void (*image_free)(struct tracee_image *image);
};

/*
 * Run a command until it ends, with fixed addresses. Returns the same as a shell:
 * the exit status, or 128 plus the signal.
 */
int tracer_run(const struct tracer_ops *ops, char **argv);

/* Read memory of the tracee. Returns how many bytes could be read. */
unsigned int tracer_read(const struct tracee *t, uint64_t address, void *buf,
			 unsigned int size);

#endif /* TRACER_H */
