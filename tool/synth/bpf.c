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

struct bpf_syms {
	struct bpf_sym *list;
	size_t nr;
};

static void read_syms(struct bpf_syms *syms)
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
		if (grow((void **)&syms->list, syms->nr, sizeof(*syms->list)))
			break;
		syms->list[syms->nr].addr = addr;
		strcpy(syms->list[syms->nr++].name, name);
	}
	fclose(f);
}

/*
 * Return the kernel's name of a function, from /proc/kallsyms if it is listed there.
 * With BTF, that name contains the function's name in the source instead of the
 * program's name or "F", and its tag is not always the function's. If the function is
 * not listed, make the name that it would have without BTF.
 */
static const char *func_name(const struct bpf_syms *syms, __u64 addr, const __u8 *tag,
			     const char *name)
{
	static char buf[120];
	size_t i;
	int n;

	for (i = 0; i < syms->nr; i++)
		if (syms->list[i].addr == addr)
			return syms->list[i].name;

	n = snprintf(buf, sizeof(buf), "bpf_prog_");
	for (i = 0; i < BPF_TAG_SIZE; i++)
		n += snprintf(buf + n, sizeof(buf) - n, "%02x", tag[i]);
	if (*name)
		snprintf(buf + n, sizeof(buf) - n, "_%s", name);
	return buf;
}

static int add_prog(struct session *s, const struct bpf_syms *syms, int fd)
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
					  func_name(syms, addrs[i], tag,
						    i ? "F" : info.name));
	}
	return err ? err : add_bpf_event(s, &info);
}

/* Add code that belongs to no program. The kernel does not tell its length: use a page. */
static int add_images(struct session *s, const struct bpf_syms *syms)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < syms->nr; i++) {
		const struct bpf_sym *sym = &syms->list[i];

		if (!strncmp(sym->name, "bpf_trampoline_", 15) ||
		    !strncmp(sym->name, "bpf_dispatcher_", 15))
			err = add_ksymbol(s, sym->addr, sysconf(_SC_PAGESIZE), sym->name);
	}
	return err;
}

int synth_bpf(struct session *s)
{
	struct bpf_syms syms = { .list = NULL };
	bool read = false;
	__u32 id = 0;
	int err = 0;

	/* If the kernel is not recorded, no record has the address of a program. */
	if (!session_records_kernel(s))
		return 0;
	while (!err && !bpf_next_prog(&id)) {
		int fd;

		/* Reading kallsyms takes long, so do it only if there is a program. */
		if (!read)
			read_syms(&syms);
		read = true;
		fd = bpf_fd_by_id(BPF_PROG_GET_FD_BY_ID, id);
		if (fd < 0)
			continue;
		err = add_prog(s, &syms, fd);
		close(fd);
	}
	if (!err)
		err = add_images(s, &syms);
	free(syms.list);
	return err;
}
