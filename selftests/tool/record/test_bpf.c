// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of tool/bpf/bpf.c: types (BTF) of BPF programs for which the queue has no room are counted,
 * and the summary reports them. bpf(2) is simulated.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../tap.h"
#include "../flight/wrap.h"
#include "bpf/bpf.h"
#include "bpf/info.h"
#include "record/late_ids.h"
#include "record/record.h"
#include "session/mode.h"
#include "session/session.h"

/* The queue has room for all programs, and for the types of two. */
#define TYPES		60000
#define QUEUE		(2 * TYPES + 20000)
#define FD_MAX		256

/* --- the kernel --- */

/* btf_of[i] is the id of the types of program i + 1. */
static const __u32 *btf_of;
static __u32 nr_programs;
/* The program before which everything in the queue is written; 0: none */
static __u32 written_before;

static struct bpf_reader reader;

/* What each descriptor stands for: the id of a program or of types, or 0 */
static __u32 program_of[FD_MAX], types_of[FD_MAX];

static void write_all(void)
{
	while (reader.first) {
		struct bpf_item *item = reader.first;

		reader.first = item->next;
		free(item);
	}
	reader.end = &reader.first;
	reader.queued = 0;
}

static long open_id(__u32 id, __u32 *of)
{
	const int fd = memfd_create("bpf", MFD_CLOEXEC);

	if (fd < 0 || fd >= FD_MAX)
		abort();
	program_of[fd] = 0;
	types_of[fd] = 0;
	of[fd] = id;
	return fd;
}

static long get_info(union bpf_attr *attr)
{
	void *at = (void *)(unsigned long)attr->info.info;
	const __u32 program = program_of[attr->info.bpf_fd];

	if (program) {
		struct bpf_prog_info info = { .id = program, .btf_id = btf_of[program - 1] };

		memcpy(at, &info, attr->info.info_len < sizeof(info) ? attr->info.info_len :
		       sizeof(info));
	} else {
		struct bpf_btf_info *info = at;

		if (info->btf)
			memset((void *)(unsigned long)info->btf, 0xab, TYPES);
		info->btf_size = TYPES;
		info->id = types_of[attr->info.bpf_fd];
	}
	return 0;
}

static long bpf(int cmd, union bpf_attr *attr)
{
	switch (cmd) {
	case BPF_PROG_GET_NEXT_ID:
		if (attr->start_id >= nr_programs)
			break;
		attr->next_id = attr->start_id + 1;
		if (attr->next_id == written_before)
			write_all();
		return 0;
	case BPF_PROG_GET_FD_BY_ID:
		return open_id(attr->prog_id, program_of);
	case BPF_BTF_GET_FD_BY_ID:
		return open_id(attr->btf_id, types_of);
	case BPF_OBJ_GET_INFO_BY_FD:
		return get_info(attr);
	}
	errno = ENOENT;
	return -1;
}

/* perf_event_open() fails, so no ring reports programs: all are loaded before the recording. */
long __wrap_syscall(long nr, ...)
{
	union bpf_attr *attr;
	va_list args;
	int cmd;

	if (nr != SYS_bpf) {
		errno = ENODEV;
		return -1;
	}
	va_start(args, nr);
	cmd = va_arg(args, int);
	attr = va_arg(args, union bpf_attr *);
	va_end(args);
	return bpf(cmd, attr);
}

/* --- the recorder --- */

static void no_summary(const struct session *s)
{
	(void)s;
}

static char said[4096];

static void hear(const char *text)
{
	strncat(said, text, sizeof(said) - strlen(said) - 1);
}

/* Return the summary's JSON. */
static const char *json_of(struct session *s, struct options *opt)
{
	static char text[4096];
	const int file = memfd_create("json", MFD_CLOEXEC);
	struct diag d = { "" };
	ssize_t len;

	opt->json_file = "json";
	s->json_fd = dup(file);
	if (summary_json(s, NULL, &d))
		abort();
	len = pread(file, text, sizeof(text) - 1, 0);
	text[len > 0 ? len : 0] = '\0';
	close(file);
	return text;
}

/*
 * Record programs, with these ids of types. @written: the number of a program; everything that is
 * queued before this program is written. @lost: how many BTFs are lost.
 */
static void try(const char *what, const __u32 *ids, __u32 nr, __u32 written, unsigned int lost)
{
	static const struct session_mode mode = { .summary = no_summary };
	struct auxrec_event ev = { 0 };
	struct sev sev = { .ev = &ev };
	struct options opt = { .output = "x" };
	struct ids no_ids = { .fd = -1 };
	struct session s = {
		.opt = &opt, .mode = &mode, .sev = &sev, .nr_sev = 1, .ids = &no_ids,
		.bpf = &reader,
	};
	char expect[2][128];
	const char *json;
	bool told, ok;

	memset(&reader, 0, sizeof(reader));
	btf_of = ids;
	nr_programs = nr;
	written_before = written;
	bpf_open(&s);
	reader.queue_max = QUEUE;
	ok = !reader.err && !bpf_start(&s) && !reader.err;
	bpf_stop(&s);

	said[0] = '\0';
	say_to(hear);
	summary_print(&s, NULL);
	say_to(NULL);
	json = json_of(&s, &opt);
	snprintf(expect[0], sizeof(expect[0]), "\"lost_btf\":%u", lost);
	snprintf(expect[1], sizeof(expect[1]), "LOST %u BTFs of BPF programs: too many at a time",
		 lost);
	told = strstr(json, expect[0]) && !!strstr(said, "LOST") == !!lost &&
	       (!lost || strstr(said, expect[1])) && !reader.lost && !reader.failed;
	if (!tap_report(ok && told, "%s", what))
		printf("# %s\n# %s\n", said, json);
	bpf_close(&s);
}

int main(void)
{
	static const __u32 two[] = { 1, 2, 0, 2 }, four[] = { 1, 2, 3, 4 };
	static const __u32 again[] = { 1, 2, 3, 3, 1 }, later[] = { 1, 2, 3, 4, 3 };

	try("there is room for all types", two, 4, 0, 0);
	try("types without room are counted", four, 4, 0, 2);
	try("types that several programs have are counted once", again, 5, 0, 1);
	try("types that fit later are not lost", later, 5, 5, 1);
	return tap_end();
}
