// SPDX-License-Identifier: GPL-2.0-only
/*
 * Applying terms that every event can have: period, name, call-graph and so on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/parse.h"
#include "base/util.h"

/* attr.sample_stack_user must be a multiple of 8 and fit in 16 bits. */
#define MAX_STACK_SIZE	65528

static const struct {
	const char *name;
	__u64 bits;
} branch_types[] = {
	{ "u",		PERF_SAMPLE_BRANCH_USER },
	{ "k",		PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv",		PERF_SAMPLE_BRANCH_HV },
	{ "any",	PERF_SAMPLE_BRANCH_ANY },
	{ "any_call",	PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret",	PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call",	PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx",	PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx",	PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx",	PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond",	PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp",	PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call",	PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags",	PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles",	PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type",	PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack",	PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index",	PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv",	1ULL << 18 },	/* PERF_SAMPLE_BRANCH_PRIV_SAVE, 6.1 */
	{ "counter",	1ULL << 19 },	/* PERF_SAMPLE_BRANCH_COUNTERS, 6.8 */
};

#define BRANCH_LEVELS	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | \
			 PERF_SAMPLE_BRANCH_HV)

static int get_number(struct ev_ctx *ctx, const struct ev_term *term,
		      __u64 min, __u64 max)
{
	struct ev_shown shown;

	if (term->value == EV_STRING)
		return ev_fail(ctx, term->at_value, -EINVAL,
			       "'%s' is not a number for '%s'",
			       ev_show_string(&shown, term->string),
			       term->name);
	if (term->number < min || term->number > max)
		return ev_fail(ctx, term->at_value ?: term->at.p, -ERANGE,
			       "%llu is out of range for '%s': %llu to %llu",
			       (unsigned long long)term->number, term->name,
			       (unsigned long long)min,
			       (unsigned long long)max);
	return 0;
}

static int string(struct ev_ctx *ctx, const struct ev_term *term, char **where)
{
	if (term->value == EV_NOTHING)
		return ev_fail(ctx, term->at.p, -EINVAL,
			       "'%s' needs a value: %s=...", term->name,
			       term->name);
	free(*where);
	*where = strdup(term->string);
	return *where ? 0 : ev_no_memory(ctx);
}

static int set_branch_type(struct ev_ctx *ctx, struct auxrec_event *ev,
			   const struct ev_term *term)
{
	struct ev_buf all = { 0 };
	struct ev_shown shown;
	struct ev_text rest, part;
	__u64 bits = 0;
	size_t i;

	if (term->value == EV_NOTHING)
		return ev_fail(ctx, term->at.p, -EINVAL,
			       "'branch_type' needs a value, such as any");
	ev->branch_given = true;
	rest.p = term->string;
	rest.len = strlen(term->string);
	if (ev_equal(rest, "no")) {
		ev->attr.branch_sample_type = 0;
		return 0;
	}
	while (ev_split(&rest, ',', &part)) {
		for (i = 0; i < ARRAY_LEN(branch_types); i++) {
			if (strlen(branch_types[i].name) == part.len &&
			    !strncasecmp(branch_types[i].name, part.p,
					 part.len))
				break;
			ev_printf(&all, ", %s", branch_types[i].name);
		}
		if (i == ARRAY_LEN(branch_types))
			return ev_fail(ctx, term->at_value, -EINVAL,
				       "no branch type '%s'; there are: no%s",
				       ev_show(&shown, part), all.s);
		all.len = 0;
		bits |= branch_types[i].bits;
	}
	/* If only levels are given, do as perf does: drop the levels, and record any branch. */
	if (!(bits & ~(__u64)BRANCH_LEVELS))
		bits = PERF_SAMPLE_BRANCH_ANY;
	ev->attr.branch_sample_type = bits;
	return 0;
}

static int callgraph(struct ev_ctx *ctx, struct auxrec_event *ev,
		     const struct ev_term *term)
{
	static const char *const kinds[] = { "fp", "dwarf", "lbr", "no" };
	struct ev_shown shown;
	int ret;

	ret = string(ctx, term, &ev->callgraph);
	if (ret)
		return ret;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!strcmp(ev->callgraph, kinds[i]))
			return 0;
	}
	return ev_fail(ctx, term->at_value, -EINVAL,
		       "no call graph '%s'; there are: fp, dwarf, lbr, no",
		       ev_show_string(&shown, ev->callgraph));
}

static int sampling(struct ev_ctx *ctx, struct auxrec_event *ev,
		    const struct ev_term *term)
{
	bool freq = term->kind == EV_FREQ;
	int ret;

	/* perf_event_open() refuses a value with the top bit. */
	ret = get_number(ctx, term, freq, ~0ULL >> 1);
	if (ret)
		return ret;
	if (ev->freq_given && ev->attr.freq != freq)
		return ev_fail(ctx, term->at.p, -EINVAL,
			       "period and freq exclude each other");
	ev->attr.freq = freq;
	ev->attr.sample_period = term->number;
	ev->freq_given = true;
	return 0;
}

static int config(struct ev_ctx *ctx, struct auxrec_event *ev,
		  const struct ev_term *term)
{
	int ret = get_number(ctx, term, 0, ~0ULL);

	if (!ret)
		*ev_config(ev, term->kind - EV_CONFIG) = term->number;
	return ret;
}

static int on_off(struct ev_ctx *ctx, const struct ev_term *term, bool invert,
		  enum auxrec_switch *where)
{
	int ret = get_number(ctx, term, 0, 1);

	if (!ret)
		*where = !term->number == invert ? AUXREC_ON : AUXREC_OFF;
	return ret;
}

static int overwrite(struct ev_ctx *ctx, struct auxrec_event *ev,
		     const struct ev_term *term)
{
	int ret = on_off(ctx, term, term->kind == EV_NO_OVERWRITE,
			 &ev->overwrite);

	if (!ret)
		ev->attr.write_backward = ev->overwrite == AUXREC_ON;
	return ret;
}

static int limits(struct ev_ctx *ctx, struct auxrec_event *ev,
		  const struct ev_term *term)
{
	int ret;

	switch (term->kind) {
	case EV_STACK_SIZE:
		ret = get_number(ctx, term, 1, MAX_STACK_SIZE);
		if (!ret)
			ev->stack_size = (term->number + 7) & ~7ULL;
		return ret;
	case EV_MAX_STACK:
		ret = get_number(ctx, term, 1, 65535);
		if (!ret)
			ev->max_stack = term->number;
		return ret;
	case EV_NR:
		ret = get_number(ctx, term, 1, ~0ULL);
		if (!ret)
			ev->max_events = term->number;
		return ret;
	default:		/* EV_AUX_SAMPLE_SIZE */
		ret = get_number(ctx, term, 0, ~0U);
		if (!ret)
			ev->attr.aux_sample_size = term->number;
		return ret;
	}
}

int ev_apply(struct ev_ctx *ctx, struct auxrec_event *ev,
	     const struct ev_term *term)
{
	int ret;

	switch (term->kind) {
	case EV_CONFIG:
	case EV_CONFIG1:
	case EV_CONFIG2:
	case EV_CONFIG3:
	case EV_CONFIG4:
		return config(ctx, ev, term);
	case EV_NAME:
		return string(ctx, term, &ev->name);
	case EV_PERIOD:
	case EV_FREQ:
		return sampling(ctx, ev, term);
	case EV_BRANCH:
		return set_branch_type(ctx, ev, term);
	case EV_TIME:
		return on_off(ctx, term, false, &ev->time);
	case EV_CALLGRAPH:
		return callgraph(ctx, ev, term);
	case EV_STACK_SIZE:
	case EV_MAX_STACK:
	case EV_NR:
	case EV_AUX_SAMPLE_SIZE:
		return limits(ctx, ev, term);
	case EV_INHERIT:
	case EV_NO_INHERIT:
		return on_off(ctx, term, term->kind == EV_NO_INHERIT,
			      &ev->inherit);
	case EV_OVERWRITE:
	case EV_NO_OVERWRITE:
		return overwrite(ctx, ev, term);
	case EV_AUX_OUTPUT:
		ret = get_number(ctx, term, 0, 1);
		if (!ret)
			ev->attr.aux_output = term->number;
		return ret;
	/* perf accepts percore and metric-id, but only `perf stat` uses them. */
	case EV_PERCORE:
		return get_number(ctx, term, 0, 1);
	case EV_METRIC_ID:
	default:
		return 0;
	}
}

int ev_apply_item(struct ev_ctx *ctx, struct auxrec_event *ev,
		  const struct ev_item *item)
{
	struct ev_terms terms = { 0 };
	struct ev_buf list = { 0 };
	struct ev_shown shown;
	int ret;

	ret = ev_terms_parse(ctx, item->terms, NULL, &terms);
	for (size_t i = 0; !ret && i < terms.nr; i++) {
		const struct ev_term *term = &terms.list[i];

		if (term->kind != EV_USER && term->kind != EV_SINK) {
			ret = ev_apply(ctx, ev, term);
			continue;
		}
		ev_terms_list(&list, false);
		ret = ev_fail(ctx, term->at.p, -EINVAL,
			      "no term '%s' here; there are: %s",
			      ev_show(&shown, term->at), list.s);
	}
	ev_terms_free(&terms);
	return ret;
}
