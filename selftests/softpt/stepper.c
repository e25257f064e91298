// SPDX-License-Identifier: GPL-2.0-only
/*
 * Step a program and write what it executes. See usage. Decoders are compared with
 * these files.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer.h"

#define INSN_MAX	15

static const char usage[] =
"usage: stepper DIR CMD [ARG...]\n"
"\n"
"Runs CMD with PTRACE_SINGLESTEP and writes the addresses of the instructions it\n"
"executes, 8 bytes each, to DIR/0.ips; those of other threads and processes that\n"
"come from it to DIR/1.ips and so on, in the order of their appearance. A thread\n"
"keeps its file when it executes another program. Addresses are not randomised.\n"
"\n"
"An instruction is in a file when it is complete. It is not there if it\n"
"  - faults, until it has been executed again\n"
"  - traps for a signal: INTO; INT1 cannot be distinguished from a step\n"
"  - is a REP that is not done: it is there once, when it is done\n"
"A system call is there each time that it is entered, also when it is restarted\n"
"after a signal. INT3, exec and exit, which do not return, are there, too. A\n"
"signal's handler begins after the last complete instruction. In the vsyscall\n"
"page no instruction is complete, because the kernel executes it; the instruction\n"
"after the call is. A load of SS and the instruction after it take one step: both\n"
"are there if the load is from a register or is POP SS.\n"
"A step is a SIGTRAP: a program that blocks SIGTRAP loses its handler for it.\n"
"\n"
"The exit status is that of CMD, 128 plus the number of the signal that killed\n"
"it, or 2 if CMD cannot be run.\n";

static const char *dir;

static FILE *file_of(struct tracee *t)
{
	char path[4096];

	if (t->data)
		return t->data;
	snprintf(path, sizeof(path), "%s/%u.ips", dir, t->nr);
	t->data = fopen(path, "w");
	if (!t->data)
		err(2, "%s", path);
	return t->data;
}

static void put(struct tracee *t, uint64_t ip)
{
	if (fwrite(&ip, sizeof(ip), 1, file_of(t)) != 1)
		err(2, "cannot write");
}

static bool is_prefix(const struct tracee *t, uint8_t byte)
{
	return memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte, 11) ||
	       (t->is64 && byte >> 4 == 4);
}

/* Skip prefixes. Returns whether REP is one of them. */
static bool prefixes(const struct tracee *t, const uint8_t *bytes,
		     unsigned int size, unsigned int *at)
{
	bool rep = false;

	for (*at = 0; *at < size && is_prefix(t, bytes[*at]); (*at)++)
		rep |= bytes[*at] == 0xf2 || bytes[*at] == 0xf3;
	return rep;
}

static bool goes_on(struct tracee *t)
{
	uint8_t bytes[INSN_MAX], opcode;
	unsigned int size = tracer_read(t, t->ip, bytes, sizeof(bytes)), at;

	if (!prefixes(t, bytes, size, &at) || at == size)
		return false;
	opcode = bytes[at];
	return (opcode >= 0x6c && opcode <= 0x6f) ||
	       (opcode >= 0xa4 && opcode <= 0xa7) ||
	       (opcode >= 0xaa && opcode <= 0xaf);
}

/* Return the length of a load of SS, or 0. */
static unsigned int ss_load(struct tracee *t)
{
	uint8_t bytes[INSN_MAX];
	unsigned int size = tracer_read(t, t->ip, bytes, sizeof(bytes)), at;

	prefixes(t, bytes, size, &at);
	if (!t->is64 && at < size && bytes[at] == 0x17)
		return at + 1;
	if (at + 1 < size && bytes[at] == 0x8e && (bytes[at + 1] & 0xf8) == 0xd0)
		return at + 2;
	return 0;
}

static void begin(struct tracee *t)
{
	file_of(t);
}

static void step(struct tracee *t, uint64_t next)
{
	unsigned int skipped = 0;

	if (next == t->ip && goes_on(t))
		return;
	/* The next instruction may be a branch, so @next may be anywhere. */
	if (next - t->ip > 1)
		skipped = ss_load(t);
	put(t, t->ip);
	if (skipped && next - t->ip != skipped)
		put(t, t->ip + skipped);
}

static void last(struct tracee *t, uint64_t next)
{
	(void)next;
	put(t, t->ip);
}

static void nothing(struct tracee *t)
{
	(void)t;
}

static void gone(struct tracee *t)
{
	if (t->data && fclose(t->data))
		err(2, "cannot write");
}

int main(int argc, char **argv)
{
	static const struct tracer_ops stepper = {
		.begin = begin,
		.step = step,
		.last = last,
		.end_at = nothing,
		.exec = nothing,
		.exit = gone,
	};

	if (argc > 1 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc < 3) {
		fputs(usage, stderr);
		return 2;
	}
	dir = argv[1];
	if (mkdir(dir, 0777) < 0 && access(dir, W_OK) < 0)
		err(2, "%s", dir);
	return tracer_run(&stepper, argv + 2);
}
