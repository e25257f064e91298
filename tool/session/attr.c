// SPDX-License-Identifier: GPL-2.0-only
/*
 * Make the perf_event_attr of each event of the stream, with perf record's defaults.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/attr_period.h"
#include "event/filter.h"
#include "origin/clock_name.h"
#include "stream/records.h"
#include "session/session.h"

/*
 * All events that are opened have these fields. Readers expect the id and the time at the same
 * place in every record of the kernel, and stream/records.h relies on that. PERIOD, which follows
 * them, can be missing, see attr_drop_period().
 */
#define SAMPLE_COMMON	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | \
			 PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
			 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static struct sev *add_sev(struct session *s)
{
	struct sev *sev;

	if (grow((void **)&s->sev, s->nr_sev, sizeof(*s->sev)))
		return NULL;
	sev = &s->sev[s->nr_sev++];
	memset(sev, 0, sizeof(*sev));
	sev->group = -1;
	return sev;
}

size_t sev_attr(const struct sev *sev, unsigned char buf[AUXREC_ATTR_SIZE])
{
	const struct auxrec_event *ev = sev->ev;

	return auxrec_attr(&sev->attr, ev ? ev->config3 : 0, ev ? ev->config4 : 0, buf);
}

static void set_common(const struct session *s, struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->sample_type |= SAMPLE_COMMON;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
	attr->sample_id_all = 1;
	attr->disabled = 1;
	/* All events of a ring must have the same clock, see perf_event_set_output(). */
	attr->use_clockid = s->opt->use_clock;
	attr->clockid = s->opt->clock;
	attr->inherit = session_per_task(s);
	/* Wake the recorder while three quarters of the main ring are still free. */
	attr->watermark = 1;
	attr->wakeup_watermark = (s->opt->main_bytes ? s->opt->main_bytes :
						       AUXREC_MAIN_DEFAULT) / 4;
}

static bool is_hardware(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE ||
	       attr->type == PERF_TYPE_HW_CACHE || attr->type == PERF_TYPE_RAW;
}

static void set_rate(const struct session *s, struct perf_event_attr *attr,
		     const struct auxrec_event *ev, __u64 max)
{
	const struct options *opt = s->opt;

	if (ev->freq_given)
		return;
	if (opt->period) {
		attr->freq = 0;
		attr->sample_period = opt->period;
		return;
	}
	/* Keep the default of this kind of event, such as 1 for tracepoints. */
	if (!opt->freq && attr->sample_period)
		return;

	attr->freq = 1;
	attr->sample_freq = opt->freq ? opt->freq : AUXREC_FREQ_DEFAULT;
	/* The kernel lowers its limit under load, so a frequency above it is no reason to fail. */
	if (attr->sample_freq > max)
		attr->sample_freq = max;
}

static bool is_bpf_output(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE &&
	       attr->config == PERF_COUNT_SW_BPF_OUTPUT;
}

/*
 * Raw data of a BPF program can be longer than a record. Raw data of other events
 * cannot (PERF_MAX_TRACE_SIZE), but with the raw ring they fill less of the main ring.
 */
static bool wants_raw_ring(const struct options *opt,
			   const struct perf_event_attr *attr)
{
	if (opt->no_raw_ring)
		return false;
	if (opt->raw_ring)
		return true;
	return is_bpf_output(attr) && !access(PERFAUX_DEVICE, F_OK) &&
	       (!opt->use_clock || clock_is_nmi_safe(opt->clock));
}

/*
 * Some PMUs with a type number of their own have raw data (IBS, those of s390), but sysfs
 * does not tell which. With PERF_SAMPLE_RAW, samples of all other PMUs have four bytes of
 * zeros (perf_output_sample()), so the user must ask for raw data of PMUs.
 */
static bool has_raw_data(const struct options *opt,
			 const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_TRACEPOINT || is_bpf_output(attr))
		return true;
	return attr->type >= PERF_TYPE_MAX &&
	       (opt->raw_samples || opt->raw_ring);
}

static int set_sampler(const struct session *s, struct sev *sev, __u64 max,
		       struct diag *d)
{
	struct perf_event_attr *attr = &sev->attr;

	if (s->opt->cgroups)
		attr->sample_type |= PERF_SAMPLE_CGROUP;
	if (has_raw_data(s->opt, attr))
		attr->sample_type |= PERF_SAMPLE_RAW;
	/* A map does not accept an event with inherit, see perf_event_read_local(). */
	if (sev->ev->bpf_map)
		attr->inherit = 0;
	/* Each write of a BPF program to the event is a sample. */
	if (is_bpf_output(attr) && !sev->ev->freq_given && !s->opt->freq)
		attr->sample_period = 1;
	sev->raw_ring = attr->sample_type & PERF_SAMPLE_RAW &&
			wants_raw_ring(s->opt, attr);
	if (is_hardware(attr) && !sev->ev->has_modifier)
		attr->exclude_guest = 1;
	attr->exclude_callchain_user = s->opt->kernel_callchains;
	attr->exclude_callchain_kernel = s->opt->user_callchains;
	set_rate(s, attr, sev->ev, max);
	return attr_terms(s, sev, d);
}

static int check_aux(const struct session *s, const struct sev *sev,
		     struct diag *d)
{
	const char *refused = event_aux_refused(sev->ev);
	size_t i;

	/* Decoders convert the TSC in the data to perf's own clock (TIME_CONV), and to no other. */
	if (s->opt->use_clock && sev->aux == AUX_INTEL_PT)
		return diag(d, -EINVAL,
			    "%s: the times in a trace of Intel PT can be converted to perf's own clock only: leave -k out",
			    sev->name);
	if (refused)
		return diag(d, -EOPNOTSUPP,
			    "%s: its PMU needs perf's own AUX area (%s): record it with perf record",
			    sev->name, refused);
	if (sev->ev->group >= 0 || sev->ev->sample_read)
		return diag(d, -EINVAL,
			    "%s: an event with AUX data cannot be in a group: take it out of the braces, without modifier S",
			    sev->name);
	for (i = 0; i + 1 < s->nr_sev; i++) {
		if (s->sev[i].aux && s->sev[i].attr.type != sev->attr.type)
			return diag(d, -EINVAL,
				    "%s and %s have AUX data of two PMUs: record them with two auxrecs",
				    s->sev[i].name, sev->name);
		/* Only one event of Intel PT can be active, and decoders support only one. */
		if (s->sev[i].aux && sev->aux == AUX_INTEL_PT)
			return diag(d, -EINVAL,
				    "%s and %s: there can be only one event of Intel PT",
				    s->sev[i].name, sev->name);
	}
	return 0;
}

/*
 * When a new task inherits an event, perf_uprobe_init() reads the path of the probe's file from the
 * memory of the parent, as if the parent had opened the event, and fork() fails. So a probe cannot
 * follow tasks.
 */
static int check_probe(const struct session *s, const struct sev *sev, struct diag *d)
{
	if (!session_per_task(s))
		return 0;
	return diag(d, -EOPNOTSUPP,
		    "%s: the kernel cannot let a probe of a function follow tasks: record whole CPUs, with -a or -C",
		    sev->name);
}

static int add_event(struct session *s, const struct auxrec_event *ev,
		     __u64 max, struct diag *d)
{
	struct sev *sev = add_sev(s);
	int err;

	if (!sev)
		return diag(d, -ENOMEM, "out of memory");
	sev->ev = ev;
	sev->name = ev->name;
	sev->attr = ev->attr;
	sev->group = ev->group;
	sev->leader = ev->leader;
	/* As in perf, these options override the modifiers of events. */
	if (s->opt->user || s->opt->kernel) {
		sev->attr.exclude_kernel = s->opt->user;
		sev->attr.exclude_user = s->opt->kernel;
	}
	if (s->opt->user)
		sev->attr.exclude_hv = 1;
	set_common(s, &sev->attr);
	err = attr_check_terms(sev, d);
	if (!err && ev->probe_file)
		err = check_probe(s, sev, d);
	if (err)
		return err;

	if (!event_has_aux(ev))
		return set_sampler(s, sev, max, d);
	sev->aux = event_aux_format(ev);
	/* The event is recorded for its AUX data and takes no samples. */
	sev->attr.freq = 0;
	sev->attr.sample_period = 1;
	if (sev->aux == AUX_CHUNKS)
		sev->chunk_id = REC_MADE_ID + s->nr_sev;
	return check_aux(s, sev, d);
}

/*
 * As in perf: to decode a trace of the kernel, a reader needs the kernel's code as it
 * was then, and the kernel changes its own code.
 */
static bool needs_text_poke(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].aux == AUX_INTEL_PT && !session_per_task(s) &&
		    !s->sev[i].attr.exclude_kernel)
			return true;
	return false;
}

static int add_sideband(struct session *s, bool switches, struct diag *d)
{
	const bool text_poke = needs_text_poke(s);
	struct sev *sev = add_sev(s);
	struct perf_event_attr *attr;

	if (!sev)
		return diag(d, -ENOMEM, "out of memory");
	sev->name = "dummy:u";
	sev->sideband = true;
	attr = &sev->attr;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	/* The event counts nothing, so it does not need the right to record the kernel. */
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = !s->opt->no_buildid;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->ksymbol = 1;
	attr->bpf_event = 1;
	attr->namespaces = s->opt->namespaces;
	attr->cgroup = s->opt->cgroups;
	attr->context_switch = switches;
	attr->text_poke = text_poke;
	set_common(s, attr);
	/* The main rings belong to this event, see session/open.c. */
	attr->wakeup_watermark = session_main_bytes(s) / 4;
	return 0;
}

/* Set the attr of an event that is never opened. auxrec makes its samples. */
static void set_made(const struct session *s, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_ID,
		.sample_id_all = 1,
		.inherit = session_per_task(s),
		.use_clockid = s->opt->use_clock,
		.clockid = s->opt->clock,
	};
}

/*
 * For each event with AUX_CHUNKS data, add another event whose samples contain this data, see
 * stream/aux_chunk.h. The added event is never opened.
 */
static int add_chunk_events(struct session *s, struct diag *d)
{
	size_t i, nr = s->nr_sev;

	for (i = 0; i < nr; i++) {
		struct sev *sev;

		if (s->sev[i].aux != AUX_CHUNKS)
			continue;
		sev = add_sev(s);
		if (!sev)
			return diag(d, -ENOMEM, "out of memory");
		sev->name = s->sev[i].name;
		sev->chunk_id = s->sev[i].chunk_id;
		set_made(s, &sev->attr);
	}
	return 0;
}

/*
 * Add the payload event, see stream/payload.h. It is never opened. payload_init() sets its
 * config1 to the raw ring's key.
 */
static int add_payload_event(struct session *s, struct diag *d)
{
	struct sev *sev = add_sev(s);

	if (!sev)
		return diag(d, -ENOMEM, "out of memory");
	sev->name = "raw-ring";
	sev->payloads = true;
	sev->chunk_id = REC_MADE_ID + s->nr_sev;
	set_made(s, &sev->attr);
	return 0;
}

/* Add the snapshot event, see stream/snapshot_mark.h. It is never opened. */
static int add_snapshot_event(struct session *s, struct diag *d)
{
	struct sev *sev = add_sev(s);

	if (!sev)
		return diag(d, -ENOMEM, "out of memory");
	sev->name = "snapshot";
	sev->snapshots = true;
	sev->chunk_id = REC_MADE_ID + s->nr_sev;
	set_made(s, &sev->attr);
	sev->attr.config2 = s->recording;
	return 0;
}

/* Keep the filter as the user typed it, for messages. */
static int add_typed(struct auxrec_event *ev, const char *filter, struct diag *d)
{
	char *both;

	if (asprintf(&both, "%s%s%s", ev->filter_typed ?: "", ev->filter_typed ? "' and '" : "",
		     filter) < 0)
		return diag(d, -ENOMEM, "out of memory");
	free(ev->filter_typed);
	ev->filter_typed = both;
	return 0;
}

/*
 * An -e can have several filters. Events of a tracepoint must pass all of them. The filters
 * of an AUX event are parts of the address space, and any of them suffices.
 */
static int add_filter(struct auxrec_event *ev, const char *filter,
		      struct diag *d)
{
	const bool all = ev->attr.type == PERF_TYPE_TRACEPOINT;
	char *both = NULL, *addresses = NULL;
	int n;

	if (!all) {
		n = filter_addresses(filter, &addresses, d);
		if (n)
			return n;
		filter = addresses;
	}
	if (!ev->filter)
		n = asprintf(&both, "%s", filter);
	else if (all)
		n = asprintf(&both, "(%s) && (%s)", ev->filter, filter);
	else
		n = asprintf(&both, "%s,%s", ev->filter, filter);
	free(addresses);
	if (n < 0)
		return diag(d, -ENOMEM, "out of memory");
	free(ev->filter);
	ev->filter = both;
	return 0;
}

/* As in perf, --filter applies to all events of the -e before it. */
static int set_filter(struct auxrec_events *events, size_t first,
		      const struct option_event *oe, struct diag *d)
{
	size_t i, j;
	int err = 0;

	for (i = first; i < events->nr && oe->nr_filters; i++) {
		struct auxrec_event *ev = &events->list[i];

		if (ev->attr.type < PERF_TYPE_MAX &&
		    ev->attr.type != PERF_TYPE_TRACEPOINT)
			return diag(d, -EINVAL,
				    "--filter: %s cannot be filtered; tracepoints can, and AUX data by address",
				    ev->name);
		for (j = 0; !err && j < oe->nr_filters; j++) {
			err = add_filter(ev, oe->filters[j], d);
			if (!err)
				err = add_typed(ev, oe->filters[j], d);
		}
	}
	return err;
}

/* --exclude-perf: the field common_pid is the id of the task. */
static int exclude_self(struct auxrec_events *events, size_t first,
			const struct option_event *oe, struct diag *d)
{
	char filter[32];
	size_t i;
	int err = 0;

	snprintf(filter, sizeof(filter), "common_pid != %d", getpid());
	for (i = first; i < events->nr && oe->exclude_self && !err; i++) {
		if (events->list[i].attr.type != PERF_TYPE_TRACEPOINT)
			return diag(d, -EINVAL,
				    "--exclude-perf: %s is not a tracepoint: only tracepoints can leave a task out; leave --exclude-perf out",
				    events->list[i].name);
		err = add_filter(&events->list[i], filter, d);
	}
	return err;
}

static int set_bpf_map(struct auxrec_events *events, size_t first,
		       const struct option_event *oe, struct diag *d)
{
	size_t i;

	for (i = first; i < events->nr && oe->bpf_map; i++) {
		struct auxrec_event *ev = &events->list[i];

		if (!is_bpf_output(&ev->attr))
			return diag(d, -EINVAL,
				    "--bpf-map: %s is not a bpf-output event, and BPF programs write only to those: give -e bpf-output --bpf-map %s%s",
				    ev->name, oe->bpf_map,
				    events->nr > first + 1 ?
				    "; give it an -e of its own" : "");
		if (events->nr > first + 1)
			return diag(d, -EINVAL,
				    "--bpf-map: %s is not the only event of its -e: give it an -e of its own: -e bpf-output --bpf-map %s",
				    ev->name, oe->bpf_map);
		ev->bpf_map = oe->bpf_map;
	}
	return 0;
}

static int parse_events(struct session *s, struct diag *d)
{
	size_t i;
	int err = 0;

	if (s->mode->add_events)
		err = s->mode->add_events(s, d);
	s->nr_trigger_events = s->events.nr;
	for (i = 0; !err && i < s->opt->nr_events; i++) {
		const struct option_event *oe = &s->opt->events[i];
		size_t first = s->events.nr;

		err = auxrec_events_parse(&s->events, oe->spec, NULL, d->msg,
					  sizeof(d->msg));
		if (err)
			auxrec_event_caret(oe->spec, d->msg, sizeof(d->msg));
		if (!err)
			err = set_filter(&s->events, first, oe, d);
		if (!err)
			err = exclude_self(&s->events, first, oe, d);
		if (!err)
			err = set_bpf_map(&s->events, first, oe, d);
	}
	return err;
}

static int check_limit(const struct session *s, __u64 max, struct diag *d)
{
	const unsigned long long freq = s->opt->freq;

	if (freq <= max || freq == AUXREC_FREQ_MAX)
		return 0;
	if (s->opt->strict_freq)
		return diag(d, -EINVAL,
			    "-F %llu: perf_event_max_sample_rate allows %llu: give that, or leave --strict-freq out",
			    freq, (unsigned long long)max);
	if (!s->opt->quiet)
		say("-F %llu: perf_event_max_sample_rate allows %llu, so auxrec uses that",
		    freq, (unsigned long long)max);
	return 0;
}

/* Samples and triggers can come in an NMI, so pa_attach_event() refuses some clocks. */
static int check_raw_clock(const struct session *s, struct diag *d)
{
	const struct options *opt = s->opt;

	if (!s->have_raw || !opt->use_clock || clock_is_nmi_safe(opt->clock))
		return 0;
	return diag(d, -EINVAL,
		    "-k %s: a raw ring cannot have this clock, because nobody can read it in an NMI: give -k mono, or leave %s out",
		    clock_name(opt->clock), opt->raw_ring ? "--raw-ring" : "the event with AUX data");
}

int session_make_events(struct session *s, struct diag *d)
{
	__u64 max = AUXREC_FREQ_MAX;
	bool switches = s->opt->switches;
	size_t i;
	int err;

	err = parse_events(s, d);
	if (err)
		return err;

	/* Without this file the kernel's limit is not known. */
	slurp_u64("/proc/sys/kernel/perf_event_max_sample_rate", &max);
	err = check_limit(s, max, d);
	if (err)
		return err;
	for (i = 0; i < s->events.nr; i++) {
		err = add_event(s, &s->events.list[i], max, d);
		if (err)
			return err;
		if (i < s->nr_trigger_events) {
			err = s->mode->complete_event(s, i, &s->sev[s->nr_sev - 1], d);
			if (err)
				return err;
			attr_drop_period(&s->sev[s->nr_sev - 1].attr);
			continue;
		}
		attr_drop_period(&s->sev[s->nr_sev - 1].attr);
		/* Intel PT's data does not tell which task ran on a CPU. */
		if (s->sev[s->nr_sev - 1].aux && !session_per_task(s))
			switches = true;
		if (s->sev[s->nr_sev - 1].raw_ring)
			s->have_payloads = true;
		if (s->sev[s->nr_sev - 1].aux || s->have_payloads)
			s->have_raw = true;
	}
	if (s->opt->raw_ring && !s->have_payloads && !s->opt->bpf_ring)
		return diag(d, -EINVAL,
			    "--raw-ring: none of these events has raw data; tracepoints (with kprobes and uprobes), bpf-output, and some PMUs such as ibs_op have it");
	if (s->opt->bpf_ring) {
		s->have_payloads = true;
		s->have_raw = true;
	}
	/* The kept ring has the records of the flight recorder, too. */
	s->have_raw |= s->opt->flight.survive;
	err = check_raw_clock(s, d);
	if (err)
		return err;
	if (s->opt->raw_asked && !s->have_raw)
		return diag(d, -EINVAL,
			    "-m ,RAW: nothing here goes to a raw ring: leave it out (-m MAIN), record an event with AUX data ('auxrec list aux'), or give --raw-ring for raw data of samples");
	attr_groups(s);
	err = session_unite_twins(s, d);
	if (!err)
		err = add_sideband(s, switches, d);
	if (!err)
		err = add_chunk_events(s, d);
	if (!err && s->have_payloads)
		err = add_payload_event(s, d);
	if (!err && s->recording)
		err = add_snapshot_event(s, d);
	return err;
}
