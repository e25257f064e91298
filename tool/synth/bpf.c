// SPDX-License-Identifier: GPL-2.0-only
/*
 * Describe BPF programs that are loaded already, and their trampolines and
 * dispatchers, with KSYMBOL and BPF_EVENT, as the kernel describes new ones. A user
 * without the right to list programs gets no such records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bpf_sys.h"
#include "stream/build.h"
#include "synth/synth.h"

/* If a program has more functions than this, only the first ones are described. */
#define MAX_FUNCS	256

static int add_ksymbol(struct session *s, __u64 addr, __u32 len,
		       const char *name)
{
	build_begin(&s->out, PERF_RECORD_KSYMBOL, PERF_RECORD_MISC_KERNEL);
	build_add_u64(&s->out, addr);
	build_add_u32(&s->out, len);
	build_add_u16(&s->out, PERF_RECORD_KSYMBOL_TYPE_BPF);
	build_add_u16(&s->out, 0);
	build_add_name(&s->out, name);
	build_add_sample_id(&s->out);
	return build_end(&s->out);
}

static int add_bpf_event(struct session *s, const struct bpf_prog_info *info)
{
	build_begin(&s->out, PERF_RECORD_BPF_EVENT, PERF_RECORD_MISC_KERNEL);
	build_add_u16(&s->out, PERF_BPF_EVENT_PROG_LOAD);
	build_add_u16(&s->out, 0);
	build_add_u32(&s->out, info->id);
	build_add(&s->out, info->tag, sizeof(info->tag));
	build_add_sample_id(&s->out);
	return build_end(&s->out);
}

/* A symbol of BPF in /proc/kallsyms, such as "bpf_prog_TAG_NAME". */
struct bpf_sym {
	__u64 addr;
	char name[120];
};

static struct bpf_sym *syms;
static size_t nr_syms;

static void read_syms(void)
{
	char line[1024];
	FILE *f;

	f = fopen("/proc/kallsyms", "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		unsigned long long addr;
		char name[120];

		if (!strstr(line, "[bpf]") ||
		    sscanf(line, "%llx %*c %119s", &addr, name) != 2 || !addr)
			continue;
		if (grow((void **)&syms, nr_syms, sizeof(*syms)))
			break;
		syms[nr_syms].addr = addr;
		strcpy(syms[nr_syms++].name, name);
	}
	fclose(f);
}

/*
 * Return the kernel's name of a function, from /proc/kallsyms if it is listed there.
 * With BTF, that name contains the function's name in the source instead of the
 * program's name or "F", and its tag is not always the function's. If the function is
 * not listed, make the name that it would have without BTF.
 */
static const char *func_name(__u64 addr, const __u8 *tag, const char *name)
{
	static char buf[120];
	size_t i;
	int n;

	for (i = 0; syms && i < nr_syms; i++)
		if (syms[i].addr == addr)
			return syms[i].name;

	n = snprintf(buf, sizeof(buf), "bpf_prog_");
	for (i = 0; i < BPF_TAG_SIZE; i++)
		n += snprintf(buf + n, sizeof(buf) - n, "%02x", tag[i]);
	if (*name)
		snprintf(buf + n, sizeof(buf) - n, "_%s", name);
	return buf;
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
	int err = 0;

	if (bpf_get_info(fd, &info, sizeof(info)))
		return 0;
	for (i = 0; !err && i < info.nr_jited_ksyms && i < MAX_FUNCS; i++) {
		const __u8 *tag = i && i < info.nr_prog_tags ? tags[i] :
							       info.tag;

		if (addrs[i] && lens[i])
			err = add_ksymbol(s, addrs[i], lens[i],
					  func_name(addrs[i], tag,
						    i ? "F" : info.name));
	}
	return err ? err : add_bpf_event(s, &info);
}

/* Add code that belongs to no program. The kernel does not tell its length: use a page. */
static int add_images(struct session *s)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < nr_syms; i++)
		if (!strncmp(syms[i].name, "bpf_trampoline_", 15) ||
		    !strncmp(syms[i].name, "bpf_dispatcher_", 15))
			err = add_ksymbol(s, syms[i].addr,
					  sysconf(_SC_PAGESIZE), syms[i].name);
	return err;
}

int synth_bpf(struct session *s)
{
	__u32 id = 0;
	int err = 0;

	while (!err && !bpf_next_prog(&id)) {
		int fd;

		/* Reading kallsyms takes long, so do it only if there is a program. */
		if (!syms)
			read_syms();
		fd = bpf_fd_by_id(BPF_PROG_GET_FD_BY_ID, id);
		if (fd < 0)
			continue;
		err = add_prog(s, fd);
		close(fd);
	}
	if (!err)
		err = add_images(s);
	free(syms);
	syms = NULL;
	nr_syms = 0;
	return err;
}
