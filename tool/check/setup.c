// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check the order of records: setup records, FINISHED_INIT, live records.
 */
#include <errno.h>
#include <string.h>

#include "check/check.h"

/* The place of a setup record in the order of Documentation/stream.rst; 0: anywhere. */
enum {
	PHASE_ANY, PHASE_ATTR, PHASE_FEATURE, PHASE_TRACING, PHASE_TIME_CONV,
	PHASE_ID_INDEX, PHASE_AUX_INFO, PHASE_KERNEL, PHASE_MODULES,
	PHASE_UPDATE, PHASE_THREAD_MAP, PHASE_CPU_MAP, PHASE_KSYMBOL,
	PHASE_CGROUP, PHASE_TASKS, PHASE_INIT,
};

static const char * const phase_names[] = {
	"", "ATTR", "FEATURE", "TRACING_DATA", "TIME_CONV", "ID_INDEX",
	"AUXTRACE_INFO", "kernel map", "module maps", "EVENT_UPDATE",
	"THREAD_MAP", "CPU_MAP", "KSYMBOL/BPF", "CGROUP", "tasks",
	"FINISHED_INIT",
};

static int map_phase(const struct read_record *rec)
{
	size_t at = rec->type == PERF_RECORD_MMAP ? REC_MMAP_NAME :
						    REC_MMAP2_NAME;
	static const char kernel[] = REC_KERNEL_NAME;
	__s32 pid;

	memcpy(&pid, read_body(rec), sizeof(pid));
	if (pid != -1)
		return PHASE_TASKS;
	if (rec->size >= at + sizeof(kernel) &&
	    !memcmp((const char *)rec->hdr + at, kernel, sizeof(kernel) - 1))
		return PHASE_KERNEL;
	return PHASE_MODULES;
}

/* Features of BPF programs come whenever a program is loaded. */
static int feature_phase(const struct check *c, const struct read_record *rec)
{
	__u64 id;

	memcpy(&id, read_body(rec), sizeof(id));
	return c->features_end && check_is_bpf(id) ? PHASE_ANY : PHASE_FEATURE;
}

static int record_phase(const struct check *c, const struct read_record *rec)
{
	switch (rec->type) {
	case REC_ATTR:
		return PHASE_ATTR;
	case REC_FEATURE:
		return feature_phase(c, rec);
	case REC_TRACING_DATA:
		return PHASE_TRACING;
	case REC_TIME_CONV:
		return PHASE_TIME_CONV;
	case REC_ID_INDEX:
		return PHASE_ID_INDEX;
	case REC_AUXTRACE_INFO:
		return PHASE_AUX_INFO;
	case REC_EVENT_UPDATE:
		return PHASE_UPDATE;
	case REC_THREAD_MAP:
		return PHASE_THREAD_MAP;
	case REC_CPU_MAP:
		return PHASE_CPU_MAP;
	case REC_FINISHED_INIT:
		return PHASE_INIT;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return map_phase(rec);
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_BPF_EVENT:
		return PHASE_KSYMBOL;
	case PERF_RECORD_CGROUP:
		return PHASE_CGROUP;
	case PERF_RECORD_COMM:
	case PERF_RECORD_NAMESPACES:
	case PERF_RECORD_FORK:
		return PHASE_TASKS;
	}
	return PHASE_ANY;
}

/* Is the record part of a snapshot's state? A state is ordered by tasks, not by types. */
static bool is_state(const struct check *c, const struct read_record *rec)
{
	return c->snapshots && !c->init_seen && rec->type < REC_ATTR;
}

/*
 * Is the record a live record? A live record has a type that no setup record has, or has a time.
 * Setup records have a time only in a snapshot's state.
 */
static bool is_live(const struct check *c, const struct read_record *rec,
		    const struct read_sample *s)
{
	switch (rec->type) {
	case PERF_RECORD_LOST:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
	case PERF_RECORD_READ:
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_AUX:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_LOST_SAMPLES:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
	case REC_FINISHED_ROUND:
	case REC_AUXTRACE:
	case REC_AUXTRACE_ERROR:
		return true;
	case PERF_RECORD_TEXT_POKE:
		return !is_state(c, rec);
	}
	return s && (s->has & PERF_SAMPLE_TIME) && s->time && !is_state(c, rec);
}

/* Check, once, what the stream must have when the set-up is over. */
static void setup_end(struct check *c, const struct read_record *rec)
{
	bool tracepoints = false;
	size_t i;

	c->setup_done = true;
	for (i = 0; i < c->attrs.nr; i++) {
		const struct read_event *ev = c->attrs.list[i];

		if (ev->attr.type == PERF_TYPE_TRACEPOINT)
			tracepoints = true;
		if (!ev->name)
			check_fail(c, rec, RULE_EVENT_NAME,
				   "EVENT_UPDATE with each event's name before it",
				   "event %zu, id %llu, has no name", i,
				   ev->first_id);
	}
	if (!c->attrs.nr)
		check_fail(c, rec, RULE_ATTR_FIRST, "an ATTR before it", "none");
	if (tracepoints && !c->tracing_seen)
		check_fail(c, rec, RULE_TRACING_NEED,
			   "TRACING_DATA, since an event is a tracepoint",
			   "none");
}

static void add_attr(struct check *c, const struct read_record *rec)
{
	const __u64 place = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			    PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	const struct read_event *first, *ev;
	size_t nr = c->attrs.nr;
	int rc = read_attrs_add(&c->attrs, rec);

	if (rc == -EINVAL) {
		const struct perf_event_attr *attr = read_body(rec);

		check_fail(c, rec, RULE_ATTR,
			   "attr.size of 64 or more, a multiple of 8, in the record",
			   "attr.size %u in a record of %u", attr->size,
			   rec->size);
		return;
	}
	if (rc == -EEXIST)
		check_fail(c, rec, RULE_ATTR_IDS, "ids of its own",
			   "an id of an earlier event, or one twice");
	if (c->attrs.nr == nr)
		return;
	first = c->attrs.list[0];
	ev = c->attrs.list[nr];
	c->snapshots |= is_snapshot_event(&ev->attr);
	if (!ev->nr_ids)
		check_fail(c, rec, RULE_ATTR_IDS, "at least one id", "none");
	else if (read_attrs_find(&c->attrs, 0) == ev)
		check_fail(c, rec, RULE_ATTR_IDS, "ids that are not 0", "id 0");
	if (ev == first)
		return;
	/* Readers look for the id of all events where the first event has it. */
	if ((ev->attr.sample_type & first->attr.sample_type) &
	    PERF_SAMPLE_IDENTIFIER)
		goto same_all;
	if (((ev->attr.sample_type ^ first->attr.sample_type) &
	     (place | PERF_SAMPLE_IDENTIFIER)) ||
	    !(ev->attr.sample_type & PERF_SAMPLE_ID))
		check_fail(c, rec, RULE_ATTR_COMPAT,
			   "IDENTIFIER in all events, or ID at one place",
			   "sample_type %#llx, first event's %#llx",
			   ev->attr.sample_type, first->attr.sample_type);
same_all:
	if (ev->attr.sample_id_all != first->attr.sample_id_all)
		check_fail(c, rec, RULE_ATTR_COMPAT,
			   "the first event's sample_id_all", "another");
	else if (ev->attr.sample_id_all &&
		 read_trailer_size(&ev->attr) != read_trailer_size(&first->attr))
		check_fail(c, rec, RULE_ATTR_COMPAT,
			   check_expect(c, "sample_id of %u bytes, as the first event's",
					read_trailer_size(&first->attr)),
			   "%u", read_trailer_size(&ev->attr));
}

static void check_features_end(struct check *c, const struct read_record *rec)
{
	if (!c->features || c->features_end)
		return;
	c->features_end = true;
	check_fail(c, rec, RULE_FEATURE_END, "FEATURE 32, the end mark",
		   "%s", read_type_name(rec->type));
}

void check_setup(struct check *c, const struct read_record *rec,
		 const struct read_sample *s)
{
	int phase = is_state(c, rec) ? PHASE_ANY : record_phase(c, rec);
	bool live = is_live(c, rec, s);

	if (rec->type != REC_FEATURE && rec->type != REC_BUILD_ID)
		check_features_end(c, rec);
	if (rec->type == REC_ATTR)
		add_attr(c, rec);

	if (rec->type == REC_FINISHED_INIT) {
		if (c->init_seen)
			check_fail(c, rec, RULE_INIT, "one FINISHED_INIT",
				   "another one");
		c->init_seen = true;
	} else if (live && !c->init_seen && !c->setup_done) {
		check_fail(c, rec, RULE_INIT, "FINISHED_INIT before live records",
			   "none so far");
	}
	if (!c->setup_done && (live || rec->type == REC_FINISHED_INIT))
		setup_end(c, rec);

	if (c->init_seen) {
		/* Records of tasks and maps can follow, but none that describe the session. */
		if (phase != PHASE_ANY && phase != PHASE_INIT &&
		    rec->type >= REC_ATTR)
			check_fail(c, rec, RULE_ORDER,
				   check_expect(c, "%s before FINISHED_INIT",
						phase_names[phase]),
				   "it after");
		return;
	}
	if (live || phase == PHASE_ANY)
		return;
	if (phase < c->phase)
		check_fail(c, rec, RULE_ORDER,
			   check_expect(c, "%s before %s", phase_names[phase],
					phase_names[c->phase]),
			   "it after");
	else
		c->phase = phase;
}
