// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep the build-id bit of one event's record out of the next event's record.
 *
 * perf_event_mmap_output() of 6.1 takes the header of the record from what
 * perf_event_mmap() filled in, sets PERF_RECORD_MISC_MMAP_BUILD_ID there for an event
 * with attr.build_id, and restores type and size, but not misc. Each later event that
 * did not ask for an id then gets the bit too, followed by device and inode, which
 * readers take for an id of up to 255 bytes. So the module clears the bit before each
 * event's record, while somebody asks for ids. Newer kernels make the header of each
 * record anew: there the module removes the probe as soon as it has seen that.
 *
 * The hook is a kprobe, which is a call from ftrace at the entry of a function. The
 * kprobe is not missed, because a task that maps runs in no other probe's handler.
 */
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/perf_event.h>

#include "ids/ids.h"

/* The layout of struct perf_mmap_event in kernel/events/core.c */
struct pa_mmap_event {
	struct vm_area_struct *vma;
	const char *file_name;
	int file_size;
	int maj, min;
	u64 ino;
	u64 ino_generation;
	u32 prot, flags;
	u8 build_id[PA_ID_RECORD_SIZE];
	u32 build_id_size;
	struct perf_event_header header;
	u32 pid, tid;
	u64 start, len, pgoff;
};

static enum {
	PA_HEADER_UNKNOWN,
	PA_HEADER_SHARED,	/* one for the records of all events */
	PA_HEADER_OWN,		/* each record has its own, or the layout is unknown */
} pa_header;

static bool pa_header_is_in;

bool pa_ids_header_look(const struct vm_area_struct *vma,
			const unsigned char *build_id, const __u32 *size)
{
	const struct pa_mmap_event *m =
		container_of((void *)build_id, struct pa_mmap_event, build_id[0]);
	bool shared;

	if (likely(READ_ONCE(pa_header) != PA_HEADER_UNKNOWN))
		return false;
	shared = size == &m->build_id_size && m->vma == vma &&
		 m->start == vma->vm_start &&
		 m->len == vma->vm_end - vma->vm_start &&
		 m->header.type == PERF_RECORD_MMAP &&
		 (m->header.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		 PERF_RECORD_MISC_USER;
	WRITE_ONCE(pa_header, shared ? PA_HEADER_SHARED : PA_HEADER_OWN);
	return !shared;
}

/* perf_event_mmap_output(event, mmap_event) */
static int pa_header_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct pa_mmap_event *m = (void *)regs_get_kernel_argument(regs, 1);

	/* The bit is not set before the first id is parsed, see pa_ids_header_look(). */
	if (READ_ONCE(pa_header) == PA_HEADER_SHARED)
		m->header.misc &= ~PERF_RECORD_MISC_MMAP_BUILD_ID;
	return 0;
}

static struct kprobe pa_header_probe;

void pa_ids_header_hook(void)
{
	if (pa_header_is_in || READ_ONCE(pa_header) == PA_HEADER_OWN)
		return;
	pa_header_probe = (struct kprobe) {
		.symbol_name = "perf_event_mmap_output",
		.pre_handler = pa_header_pre,
	};
	pa_header_is_in = !register_kprobe(&pa_header_probe);
}

void pa_ids_header_unhook(bool unneeded_only)
{
	if (!pa_header_is_in ||
	    (unneeded_only && READ_ONCE(pa_header) != PA_HEADER_OWN))
		return;
	unregister_kprobe(&pa_header_probe);
	pa_header_is_in = false;
}
