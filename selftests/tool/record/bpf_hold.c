// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_hold CMD [ARG]...: run CMD while a BPF program of two functions is loaded. The program's
 * descriptor stays open in CMD. The exit status is 77 if the kernel or the user's rights do not
 * allow it.
 */
#include <linux/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME		"auxrec_hold"
#define STATUS_SKIP	77
#define NR_INSNS	4

/* main: return sub(); sub: return 0 */
static const struct bpf_insn insns[NR_INSNS] = {
	{
		.code = BPF_JMP | BPF_CALL,
		.src_reg = BPF_PSEUDO_CALL,
		.imm = 1,
	},
	{ .code = BPF_JMP | BPF_EXIT },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

int main(int argc, char **argv)
{
	union bpf_attr attr;
	int fd;

	if (argc < 2) {
		fputs("usage: bpf_hold CMD [ARG]...\n", stderr);
		return 2;
	}
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (unsigned long)insns;
	attr.insn_cnt = NR_INSNS;
	attr.license = (unsigned long)"GPL";
	strcpy(attr.prog_name, NAME);
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0) {
		fprintf(stderr, "bpf_hold: cannot load a program: %s\n",
			strerror(errno));
		return STATUS_SKIP;
	}
	/* bpf(2) sets close-on-exec on its descriptors. */
	fcntl(fd, F_SETFD, 0);
	execvp(argv[1], argv + 1);
	fprintf(stderr, "bpf_hold: %s: %s\n", argv[1], strerror(errno));
	return 127;
}
