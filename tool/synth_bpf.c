// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs that are loaded already: KSYMBOL and BPF_EVENT, as the kernel
 * would have written them. Best effort: it takes rights that not all have.
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "synth.h"

/* Programs with more functions than this are described by the first ones. */
#define MAX_FUNCS	256

static struct synth_rec rec;

static int sys_bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int add_ksymbol(struct session *s, __u64 addr, __u32 len,
		       const char *name)
{
	synth_begin(&rec, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
	synth_add_u64(&rec, addr);
	synth_add_u32(&rec, len);
	synth_add_u16(&rec, PERF_RECORD_KSYMBOL_TYPE_BPF);
	synth_add_u16(&rec, 0);
	synth_add_name(&rec, name);
	synth_add_sample_id(&rec);
	return synth_end(s, &rec);
}

static int add_bpf_event(struct session *s, const struct bpf_prog_info *info)
{
	synth_begin(&rec, PERF_RECORD_BPF_EVENT, PERF_RECORD_MISC_KERNEL);
	synth_add_u16(&rec, PERF_BPF_EVENT_PROG_LOAD);
	synth_add_u16(&rec, 0);
	synth_add_u32(&rec, info->id);
	synth_add(&rec, info->tag, sizeof(info->tag));
	synth_add_sample_id(&rec);
	return synth_end(s, &rec);
}

/* As the kernel names it in kallsyms: bpf_prog_TAG[_NAME]. */
static void func_name(char *buf, size_t size, const __u8 *tag,
		      const char *name)
{
	int n = snprintf(buf, size, "bpf_prog_");
	size_t i;

	for (i = 0; i < BPF_TAG_SIZE; i++)
		n += snprintf(buf + n, size - n, "%02x", tag[i]);
	if (*name)
		snprintf(buf + n, size - n, "_%s", name);
}

static int add_prog(struct session *s, int fd)
{
	__u8 tags[MAX_FUNCS][BPF_TAG_SIZE] = { 0 };
	__u64 addrs[MAX_FUNCS] = { 0 };
	__u32 lens[MAX_FUNCS] = { 0 }, i;
	struct bpf_prog_info info = {
		.nr_jited_ksyms = MAX_FUNCS,
		.jited_ksyms = (unsigned long)addrs,
		.nr_jited_func_lens = MAX_FUNCS,
		.jited_func_lens = (unsigned long)lens,
		.nr_prog_tags = MAX_FUNCS,
		.prog_tags = (unsigned long)tags,
	};
	union bpf_attr attr = {
		.info = {
			.bpf_fd = fd,
			.info_len = sizeof(info),
			.info = (unsigned long)&info,
		},
	};
	int err = 0;

	if (sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		return 0;
	for (i = 0; !err && i < info.nr_jited_ksyms && i < MAX_FUNCS; i++) {
		char name[128];

		/* The name is that of the main function, the first. */
		func_name(name, sizeof(name),
			  i < info.nr_prog_tags ? tags[i] : info.tag,
			  i ? "" : info.name);
		if (addrs[i] && lens[i])
			err = add_ksymbol(s, addrs[i], lens[i], name);
	}
	return err ? err : add_bpf_event(s, &info);
}

int synth_bpf(struct session *s)
{
	union bpf_attr attr;
	__u32 id = 0;
	int err = 0;

	while (!err) {
		int fd;

		memset(&attr, 0, sizeof(attr));
		attr.start_id = id;
		if (sys_bpf(BPF_PROG_GET_NEXT_ID, &attr))
			break;
		id = attr.next_id;
		memset(&attr, 0, sizeof(attr));
		attr.prog_id = id;
		fd = sys_bpf(BPF_PROG_GET_FD_BY_ID, &attr);
		if (fd < 0)
			continue;
		err = add_prog(s, fd);
		close(fd);
	}
	return err;
}
