// SPDX-License-Identifier: GPL-2.0-only
/*
 * A trace bundle for LLDB: trace.json, as LLDB's "trace schema intel-pt" describes it.
 */
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/bundle/bundle.h"
#include "view/code/find.h"

#define PAGE_MASK	(~4095ULL)

/*
 * LLDB wants to know where the first segment of a file is in memory. Return false if the mapping
 * is not that of an executable segment.
 */
static bool load_address(const char *file, const struct mapping *m, __u64 *address)
{
	Elf *elf = find_open(file);
	bool found = false, first = true;
	__u64 base = 0;
	size_t nr = 0, i;
	GElf_Phdr p;

	if (!elf || elf_getphdrnum(elf, &nr))
		nr = 0;
	for (i = 0; i < nr && !found; i++) {
		if (!gelf_getphdr(elf, i, &p) || p.p_type != PT_LOAD)
			continue;
		if (first)
			base = p.p_vaddr;
		first = false;
		if (!(p.p_flags & PF_X) || m->offset < (p.p_offset & PAGE_MASK) ||
		    m->offset >= p.p_offset + p.p_filesz)
			continue;
		*address = m->start - m->offset + p.p_offset - p.p_vaddr + base;
		found = true;
	}
	elf_end(elf);
	return found;
}

static void uuid(struct json *j, const struct object *o)
{
	if (o->id_size)
		json_hex(j, "uuid", o->id, o->id_size);
}

static void module(struct bundle *b, struct json *j, const struct mapping *m, const char *dir)
{
	const char *file = bundle_object(b, m->object);
	char *path = NULL;
	__u64 address;

	/* A copy has a name in the bundle, as LLDB reads it. To open it here, add the directory. */
	if (file && *file != '/' && asprintf(&path, "%s/%s", dir, file) < 0)
		path = NULL;
	if (!file || !load_address(path ?: file, m, &address)) {
		free(path);
		return;
	}
	json_object(j, NULL, JSON_SPACED);
	json_string(j, "systemPath", m->object->path);
	if (strcmp(file, m->object->path))
		json_string(j, "file", file);
	json_u64(j, "loadAddress", address);
	uuid(j, m->object);
	json_end_object(j);
	free(path);
}

/* LLDB has one set of modules for the whole trace: that of the end. */
static int modules(struct bundle *b, struct json *j, const struct space *space)
{
	struct view v;
	size_t i, before;
	int rc;

	view_init(&v, &b->source->spaces);
	rc = view_move(&v, space, ~0ULL);
	json_array(j, "modules", JSON_BLOCK);
	for (i = 0; !rc && i < v.nr; i++) {
		for (before = 0; before < i; before++)
			if (v.mappings[before].object == v.mappings[i].object)
				break;
		if (before == i)
			module(b, j, &v.mappings[i], b->path);
	}
	json_end_array(j);
	view_free(&v);
	return rc;
}

static void threads(struct bundle *b, struct json *j, __u32 pid)
{
	const struct source *s = b->source;
	char name[BUNDLE_NAME];
	size_t i;

	json_array(j, "threads", JSON_BLOCK);
	for (i = 0; i < s->nr_queues; i++) {
		const struct queue *q = s->queues[i];

		if (q->tid == AUXSTREAM_NOBODY || bundle_pid(s, q) != pid)
			continue;
		json_object(j, NULL, JSON_SPACED);
		json_u64(j, "tid", q->tid);
		json_string(j, "iptTrace", bundle_name(s, q, ".pt", name));
		json_end_object(j);
	}
	json_end_array(j);
}

static bool has_queue(const struct source *s, __u32 pid)
{
	size_t i;

	for (i = 0; i < s->nr_queues; i++)
		if (s->queues[i]->tid == AUXSTREAM_NOBODY || bundle_pid(s, s->queues[i]) == pid)
			return true;
	return false;
}

static int processes(struct bundle *b, struct json *j)
{
	const struct spaces *spaces = &b->source->spaces;
	size_t i;
	int rc = 0;

	json_array(j, "processes", JSON_BLOCK);
	for (i = 0; !rc && i < spaces->nr; i++) {
		const struct space *space = spaces->list[i];

		if (!has_queue(b->source, space->pid))
			continue;
		json_object(j, NULL, JSON_BLOCK);
		json_u64(j, "pid", space->pid);
		json_string(j, "triple", "x86_64-unknown-linux-gnu");
		threads(b, j, space->pid);
		rc = modules(b, j, space);
		json_end_object(j);
	}
	json_end_array(j);
	return rc;
}

static void cpus(struct bundle *b, struct json *j)
{
	const struct source *s = b->source;
	char name[BUNDLE_NAME];
	size_t i;

	json_array(j, "cpus", JSON_BLOCK);
	for (i = 0; i < s->nr_queues; i++) {
		const struct queue *q = s->queues[i];

		if (q->tid != AUXSTREAM_NOBODY)
			continue;
		json_object(j, NULL, JSON_SPACED);
		json_u64(j, "id", q->cpu);
		json_string(j, "iptTrace", bundle_name(s, q, ".pt", name));
		json_string(j, "contextSwitchTrace", bundle_name(s, q, ".pevent", name));
		json_end_object(j);
	}
	json_end_array(j);
}

static void conversion(struct json *j, const struct clock_conv *c)
{
	char zero[24];

	json_object(j, "tscPerfZeroConversion", JSON_SPACED);
	json_u64(j, "timeMult", c->mult);
	json_u64(j, "timeShift", c->shift);
	/* LLDB reads numbers as signed ones, and strings as unsigned ones. */
	snprintf(zero, sizeof(zero), "%llu", c->zero);
	json_string(j, "timeZero", zero);
	json_end_object(j);
}

/* The processor whose one erratum is about data after an overflow, see pt_cpu_errata() */
#define GOLDMONT_PLUS	0x7a

/* LLDB decodes nothing of a processor whose errata libipt does not know. */
static void processor(struct json *j, const struct source_pt *pt)
{
	const bool known = bundle_knows_processor(pt);

	json_object(j, "cpuInfo", JSON_SPACED);
	json_string(j, "vendor", "GenuineIntel");
	json_u64(j, "family", known ? pt->family : 6);
	json_u64(j, "model", known ? pt->model : GOLDMONT_PLUS);
	json_u64(j, "stepping", known ? pt->stepping : 1);
	json_end_object(j);
}

static int write_json(struct bundle *b, struct json *j)
{
	const struct source_pt *pt = &b->source->pt;
	const bool by_cpu = b->source->queues[0]->tid == AUXSTREAM_NOBODY;
	int rc;

	json_object(j, NULL, JSON_BLOCK);
	json_string(j, "type", "intel-pt");
	processor(j, pt);
	rc = processes(b, j);
	/* If there is a list of CPUs, LLDB does not use the traces of threads. */
	if (by_cpu)
		cpus(b, j);
	if (pt->clock.mult)
		conversion(j, &pt->clock);
	json_end_object(j);
	fputc('\n', j->f);
	return rc ? diag(b->diag, rc, "out of memory") : 0;
}

int bundle_lldb(struct source *s, const char *path, struct diag *d)
{
	static const char name[] = "trace.json";
	struct json j = { .depth = 0 };
	struct bundle b;
	int rc = bundle_open(&b, s, path, d), err;

	if (!rc) {
		j.f = bundle_create(&b, name, false);
		rc = j.f ? write_json(&b, &j) : -EIO;
	}
	if (j.f) {
		err = bundle_finish(&b, name, j.f);
		rc = rc ?: err;
	}
	bundle_close(&b);
	return rc;
}
