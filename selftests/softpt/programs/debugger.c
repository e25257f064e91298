// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child and its debugger, which does the same as gdb: debugger
 * step|block|syscall|break|hardware|attach|seccomp
 *
 * It prints what the debugger has seen, which is the same if somebody else steps
 * the child, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

#define TF	0x100
#define TIMES	20

MARK(0, hit)
MARK(1, other)
MARK(2, handler)
MARK(3, end)

/* In work(), after an instruction that is no branch */
extern char in_work;

static pid_t child;

static void handler(int sig)
{
	mark_handler();
}

/*
 * This is not a library function, because the instructions that those execute depend
 * on the address of the stack.
 */
static long call(long nr)
{
	asm volatile("syscall" : "+a"(nr) : : "rcx", "r11", "memory");
	return nr;
}

static void __attribute__((noinline)) work(void)
{
	uint64_t flags;

	for (int i = 0; i < TIMES; i++) {
		mark_hit();
		call(SYS_getppid);
		asm volatile("pushf; popf; in_work: mov %%ss, %%ecx; mov %%ecx, %%ss; nop"
			     : : : "rcx", "memory");
		mark_other();
		asm volatile("pushf; pop %0" : "=r"(flags));
	}
	mark_end();
}

static void start(void (*what)(void))
{
	int status;

	child = fork();
	CHECK(child >= 0);
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		what();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	CHECK(!ptrace(PTRACE_SETOPTIONS, child, NULL,
		      PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP));
}

static struct user_regs_struct regs(void)
{
	struct user_regs_struct r;

	CHECK(!ptrace(PTRACE_GETREGS, child, NULL, &r));
	return r;
}

/* Returns the status of the next stop, or -1 if the child has ended. */
static int go(enum __ptrace_request how, int sig)
{
	int status;

	CHECK(!ptrace(how, child, NULL, (long)sig));
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFSTOPPED(status))
		return status >> 8;
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
	return -1;
}

static void step(void)
{
	unsigned long steps = 0, hash = 0, tf = 0;
	int stop;

	start(work);
	while ((stop = go(PTRACE_SINGLESTEP, 0)) > 0) {
		struct user_regs_struct r = regs();

		CHECK(stop == SIGTRAP);
		steps++;
		hash = hash * 31 + r.rip;
		tf += !!(r.eflags & TF);
	}
	printf("step: %lu %lx %lu\n", steps, hash, tf);
}

/* PTRACE_SINGLEBLOCK, which is a step where the processor has no branch stepping */
static void block(void)
{
	unsigned long entries = 0, inside = 0;
	int stop;

	start(work);
	while ((stop = go(PTRACE_SINGLEBLOCK, 0)) > 0) {
		struct user_regs_struct r = regs();

		CHECK(stop == SIGTRAP);
		entries += r.rip == (uintptr_t)mark_hit;
		inside += r.rip == (uintptr_t)&in_work;
	}
	printf("block: %lu entries, %lu inside\n", entries, inside);
}

static void syscalls(void)
{
	unsigned long stops = 0, hash = 0, tf = 0;
	int stop;

	start(work);
	while ((stop = go(PTRACE_SYSCALL, 0)) > 0) {
		struct user_regs_struct r = regs();

		CHECK(stop == (SIGTRAP | 0x80));
		stops++;
		hash = hash * 31 + r.rip + r.orig_rax;
		tf += r.eflags & TF || r.r11 & TF;
	}
	CHECK(!tf);
	printf("syscall: %lu %lx\n", stops, hash);
}

static long peek(void *at)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, child, at, NULL);
	CHECK(!errno);
	return word;
}

static void breakpoint(void)
{
	void *at = mark_hit;
	unsigned long hits = 0;
	long word;
	int stop;

	start(work);
	word = peek(at);
	ptrace(PTRACE_POKETEXT, child, at, (word & ~0xffL) | 0xcc);
	while ((stop = go(PTRACE_CONT, 0)) > 0) {
		struct user_regs_struct r = regs();

		CHECK(stop == SIGTRAP && r.rip == (uintptr_t)at + 1 && !(r.eflags & TF));
		hits++;
		r.rip--;
		ptrace(PTRACE_SETREGS, child, NULL, &r);
		ptrace(PTRACE_POKETEXT, child, at, word);
		CHECK(go(PTRACE_SINGLESTEP, 0) == SIGTRAP);
		r = regs();
		CHECK(r.rip != (uintptr_t)at && !(r.eflags & TF));
		ptrace(PTRACE_POKETEXT, child, at, (word & ~0xffL) | 0xcc);
	}
	printf("break: %lu\n", hits);
	CHECK(hits == TIMES);
}

static void debug_register(int nr, unsigned long value)
{
	CHECK(!ptrace(PTRACE_POKEUSER, child,
		      offsetof(struct user, u_debugreg) + nr * sizeof(long), value));
}

/*
 * Break at the execution of one mark, and step after some of the stops. pt_debug.sh
 * knows how often.
 */
static void hardware(void)
{
	unsigned long hits = 0;
	int stop;

	start(work);
	debug_register(0, (uintptr_t)mark_other);
	debug_register(7, 1);
	while ((stop = go(PTRACE_CONT, 0)) > 0) {
		struct user_regs_struct r = regs();

		CHECK(stop == SIGTRAP && !(r.eflags & TF));
		CHECK(r.rip == (uintptr_t)mark_other);
		debug_register(6, 0);
		if (++hits % 3 == 0) {
			CHECK(go(PTRACE_SINGLESTEP, 0) == SIGTRAP);
			CHECK(regs().rip != (uintptr_t)mark_other);
			debug_register(6, 0);
		}
	}
	printf("hardware: %lu\n", hits);
}

static void forever(void)
{
	signal(SIGUSR1, handler);
	for (;;)
		mark_other();
}

/*
 * Attach: stop the child at any moment, look at it, send it a signal, step it,
 * detach it, kill it.
 */
static void attach(void)
{
	int status;

	child = fork();
	if (!child)
		forever();
	CHECK(!ptrace(PTRACE_SEIZE, child, NULL, PTRACE_O_EXITKILL));
	for (int i = 0; i < TIMES; i++) {
		unsigned long n = __atomic_load_n(&marks[1].n, __ATOMIC_RELAXED);

		/* The child continues. */
		while (__atomic_load_n(&marks[1].n, __ATOMIC_RELAXED) < n + 5)
			;
		CHECK(!ptrace(PTRACE_INTERRUPT, child, NULL, NULL));
		CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
		CHECK(!(regs().eflags & TF));
		for (int s = 0; s < i; s++) {
			CHECK(go(PTRACE_SINGLESTEP, 0) == SIGTRAP);
			CHECK(!(regs().eflags & TF));
		}
		if (i % 4 == 0)
			CHECK(go(PTRACE_SINGLESTEP, SIGUSR1) == SIGTRAP);
		CHECK(!ptrace(PTRACE_CONT, child, NULL, NULL));
	}
	CHECK(!ptrace(PTRACE_INTERRUPT, child, NULL, NULL));
	CHECK(waitpid(child, &status, 0) == child && WIFSTOPPED(status));
	CHECK(!ptrace(PTRACE_DETACH, child, NULL, NULL));
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	printf("attach: %lu signals\n", marks[2].n);
}

static void filtered(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(code), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
	for (int i = 0; i < TIMES; i++) {
		mark_hit();
		if (call(SYS_getppid) != 1000 + i)
			_exit(1);
	}
}

static void seccomp(void)
{
	unsigned long stops = 0;
	int stop;

	start(filtered);
	while ((stop = go(PTRACE_CONT, 0)) > 0) {
		struct user_regs_struct r = regs();

		CHECK(stop == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8));
		CHECK(!(r.eflags & TF));
		/* Leave the system call out, and return another result. */
		r.orig_rax = -1;
		r.rax = 1000 + stops++;
		ptrace(PTRACE_SETREGS, child, NULL, &r);
	}
	printf("seccomp: %lu\n", stops);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {
		{ "step", step }, { "block", block }, { "syscall", syscalls },
		{ "break", breakpoint },
		{ "hardware", hardware }, { "attach", attach }, { "seccomp", seccomp },
	};

	CHECK(argc == 2);
	/* Otherwise the children would have a copy of the buffer, too. */
	setvbuf(stdout, NULL, _IONBF, 0);
	marks_share();
	for (unsigned int i = 0; i < ARRAY_SIZE(modes); i++)
		if (!strcmp(argv[1], modes[i].name))
			modes[i].run();
	marks_print();
	return 0;
}
