// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing hardware and software events by name, and events by number.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event/parse.h"
#include "base/util.h"

/* PERF_COUNT_SW_CGROUP_SWITCHES, which older headers do not have. */
#define SW_CGROUP_SWITCHES	11

/* The upper half of a hardware event's attr.config is the PMU's type (since 5.13). */
#define PMU_TYPE_SHIFT		32

#define HW(name, alias, id) { name, alias, PERF_TYPE_HARDWARE, \
			      PERF_COUNT_HW_##id }
#define SW(name, alias, id) { name, alias, PERF_TYPE_SOFTWARE, \
			      PERF_COUNT_SW_##id }

const struct ev_symbol ev_symbols[] = {
	HW("cpu-cycles", "cycles", CPU_CYCLES),
	HW("instructions", NULL, INSTRUCTIONS),
	HW("cache-references", NULL, CACHE_REFERENCES),
	HW("cache-misses", NULL, CACHE_MISSES),
	HW("branch-instructions", "branches", BRANCH_INSTRUCTIONS),
	HW("branch-misses", NULL, BRANCH_MISSES),
	HW("bus-cycles", NULL, BUS_CYCLES),
	HW("stalled-cycles-frontend", "idle-cycles-frontend",
	   STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", "idle-cycles-backend",
	   STALLED_CYCLES_BACKEND),
	HW("ref-cycles", NULL, REF_CPU_CYCLES),
	SW("cpu-clock", NULL, CPU_CLOCK),
	SW("task-clock", NULL, TASK_CLOCK),
	SW("page-faults", "faults", PAGE_FAULTS),
	SW("context-switches", "cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", "migrations", CPU_MIGRATIONS),
	SW("minor-faults", NULL, PAGE_FAULTS_MIN),
	SW("major-faults", NULL, PAGE_FAULTS_MAJ),
	SW("alignment-faults", NULL, ALIGNMENT_FAULTS),
	SW("emulation-faults", NULL, EMULATION_FAULTS),
	SW("dummy", NULL, DUMMY),
	SW("bpf-output", NULL, BPF_OUTPUT),
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES },
};

const size_t ev_nr_symbols = ARRAY_LEN(ev_symbols);

const struct ev_symbol *ev_symbol(struct ev_text name)
{
	for (size_t i = 0; i < ev_nr_symbols; i++) {
		const struct ev_symbol *symbol = &ev_symbols[i];

		if (ev_equal(name, symbol->name) ||
		    (symbol->alias && ev_equal(name, symbol->alias)))
			return symbol;
	}
	return NULL;
}

/* Can a hardware event select this kind of core? */
static bool takes_hw_type(struct ev_ctx *ctx, const struct pmu *pmu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = (__u64)pmu->type << PMU_TYPE_SHIFT |
			  PERF_COUNT_HW_CPU_CYCLES,
	};

	return ctx->root.supported(&attr);
}

bool ev_has_hw_types(struct ev_ctx *ctx)
{
	size_t cores = 0;

	for (size_t i = 0; i < ctx->pmus.nr; i++) {
		if (!ctx->pmus.list[i].core)
			break;
		if (pmu_load(&ctx->pmus.list[i]) ||
		    !takes_hw_type(ctx, &ctx->pmus.list[i]))
			return false;
		cores++;
	}
	return cores > 1;
}

static int add(struct ev_ctx *ctx, const struct ev_item *item, __u32 type,
	       __u64 config, const struct pmu *pmu)
{
	struct auxrec_event *ev;

	if (pmu)
		config |= (__u64)pmu->type << PMU_TYPE_SHIFT;
	ev = ev_new(ctx, type, config);
	if (!ev)
		return -ENOMEM;
	if (pmu) {
		ev->pmu = strdup(pmu->name);
		ev->cpus = pmu->cpus ? strdup(pmu->cpus) : NULL;
		if (!ev->pmu || (pmu->cpus && !ev->cpus))
			return ev_no_memory(ctx);
	}
	return ev_apply_item(ctx, ev, item);
}

int ev_add_legacy(struct ev_ctx *ctx, const struct ev_item *item, __u32 type,
		  __u64 config)
{
	int ret = 0;

	/* Without sysfs, assume that there is one kind of core. */
	if (ev_read_pmus(ctx) || !ev_has_hw_types(ctx))
		return add(ctx, item, type, config, NULL);
	for (size_t i = 0; !ret && i < ctx->pmus.nr; i++) {
		if (ctx->pmus.list[i].core)
			ret = add(ctx, item, type, config, &ctx->pmus.list[i]);
	}
	return ret;
}

int ev_hw(struct ev_ctx *ctx, const struct ev_item *item,
	  const struct ev_symbol *symbol)
{
	struct auxrec_event *ev;

	if (symbol->type == PERF_TYPE_HARDWARE)
		return ev_add_legacy(ctx, item, symbol->type, symbol->config);
	ev = ev_new(ctx, symbol->type, symbol->config);
	if (!ev)
		return -ENOMEM;
	switch (symbol->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		/* These events count nanoseconds; perf shows milliseconds. */
		ev->unit = strdup("msec");
		if (!ev->unit)
			return ev_no_memory(ctx);
		ev->scale = 0.000001;
		break;
	case PERF_COUNT_SW_BPF_OUTPUT:
		/* Every output must be recorded, not every Nth. */
		ev->attr.sample_period = 1;
		break;
	}
	return ev_apply_item(ctx, ev, item);
}

int ev_raw(struct ev_ctx *ctx, const struct ev_item *item, __u64 config)
{
	struct auxrec_event *ev = ev_new(ctx, PERF_TYPE_RAW, config);

	if (!ev)
		return -ENOMEM;
	return ev_apply_item(ctx, ev, item);
}

/* TYPE:CONFIG[:MODIFIERS] */
int ev_numeric(struct ev_ctx *ctx, const struct ev_item *item,
	       struct ev_text *mods)
{
	struct ev_text rest = item->head;
	struct ev_text type, config;
	struct auxrec_event *ev;
	struct ev_shown shown;
	__u64 numbers[2];
	int ret;

	ev_split(&rest, ':', &type);
	if (!ev_split(&rest, ':', &config))
		return ev_fail(ctx, type.p + type.len, -EINVAL,
			       "an event by number is TYPE:CONFIG, such as 4:0x3c");
	if (rest.p)
		*mods = rest;
	ret = ev_number(type, &numbers[0]);
	if (ret || numbers[0] > ~0U)
		return ev_fail(ctx, type.p, ret ?: -ERANGE,
			       "'%s' is not an event type: 0 to %u",
			       ev_show(&shown, type), ~0U);
	ret = ev_number(config, &numbers[1]);
	if (ret)
		return ev_fail(ctx, config.p, ret,
			       "'%s' is not a number of 64 bits",
			       ev_show(&shown, config));
	ev = ev_new(ctx, numbers[0], numbers[1]);
	if (!ev)
		return -ENOMEM;
	return ev_apply_item(ctx, ev, item);
}
