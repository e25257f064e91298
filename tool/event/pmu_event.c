// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing events of a PMU: "PMU/TERMS/", and names of events in events/.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"

static int fill(struct ev_ctx *ctx, struct auxrec_event *ev,
		const struct pmu *pmu)
{
	long long precise;

	ev->pmu = strdup(pmu->name);
	if (!ev->pmu)
		return ev_no_memory(ctx);
	if (pmu->cpus) {
		ev->cpus = strdup(pmu->cpus);
		if (!ev->cpus)
			return ev_no_memory(ctx);
	}
	precise = pmu_read_number(pmu, "caps/max_precise", 10, -1);
	if (precise >= 0 && precise <= 3)
		ev->max_precise = precise;
	ev_pmu_default(ev, pmu, ctx->root.sysfs);
	return 0;
}

/* Add an event of @pmu. @alias: the event's name if it stands without a PMU, or empty */
static int add(struct ev_ctx *ctx, struct pmu *pmu, const struct ev_item *item,
	       struct ev_text alias)
{
	struct ev_terms terms = { 0 };
	struct auxrec_event *ev;
	struct ev_shown shown;
	int ret;

	ret = pmu_load(pmu);
	if (ret)
		return ev_fail(ctx, item->head.p, ret,
			       "PMU '%s': cannot read its type: %s",
			       ev_show_string(&shown, pmu->name),
			       strerror(-ret));
	ev = ev_new(ctx, pmu->type, 0);
	if (!ev)
		return -ENOMEM;
	ret = fill(ctx, ev, pmu);
	if (!ret)
		ret = ev_terms_parse(ctx, item->terms, NULL, &terms);
	if (!ret)
		ret = ev_terms_parse(ctx, alias, NULL, &terms);
	if (!ret)
		ret = ev_pmu_terms(ctx, ev, pmu, &terms);
	if (!ret)
		ret = ev_pmu_check(ctx, ev, pmu, item->head);
	ev_terms_free(&terms);
	if (ret)
		ev_drop(ctx);
	return ret;
}

int ev_alias(struct ev_ctx *ctx, const struct ev_item *item,
	     struct ev_text name)
{
	bool found = false;
	char *copy;
	int ret;

	/* Without sysfs, no PMU is known to have the event. */
	if (ev_read_pmus(ctx))
		return -ENOENT;
	copy = ev_strdup(name);
	if (!copy)
		return ev_no_memory(ctx);
	ret = 0;
	for (size_t i = 0; !ret && i < ctx->pmus.nr; i++) {
		if (!pmu_has_alias(&ctx->pmus.list[i], copy))
			continue;
		ret = add(ctx, &ctx->pmus.list[i], item, name);
		found = true;
	}
	free(copy);
	return found ? ret : -ENOENT;
}

/*
 * If a pattern matches several PMUs, at least one of them must have the event. If
 * none has it, the message is about the first PMU.
 */
static int add_matching(struct ev_ctx *ctx, const struct ev_item *item,
			const char *pattern)
{
	struct ev_text none = { 0 };
	char *first_message = NULL;
	int first_error = -ENOENT;
	bool found = false;
	int ret;

	for (size_t i = 0; i < ctx->pmus.nr; i++) {
		struct pmu *pmu = &ctx->pmus.list[i];

		if (!pmu_match(pmu, pattern))
			continue;
		ret = add(ctx, pmu, item, none);
		if (!ret) {
			found = true;
		} else if (!first_message) {
			first_error = ret;
			first_message = strdup(ctx->err_len ? ctx->err : "");
		}
		if (ret == -ENOMEM) {
			first_error = ret;
			found = false;
			break;
		}
	}
	if (!found && first_message && ctx->err_len)
		snprintf(ctx->err, ctx->err_len, "%s", first_message);
	if (!found && !first_message && first_error != -ENOENT)
		ev_no_memory(ctx);
	free(first_message);
	return found ? 0 : first_error;
}

static bool any_match(struct ev_ctx *ctx, const char *pattern)
{
	for (size_t i = 0; i < ctx->pmus.nr; i++) {
		if (pmu_match(&ctx->pmus.list[i], pattern))
			return true;
	}
	return false;
}

static int unknown(struct ev_ctx *ctx, const struct ev_item *item)
{
	struct ev_buf hint = { 0 };
	struct ev_shown shown;

	if (ev_equal(item->head, "intel_pt"))
		return ev_no_intel_pt(ctx, item->head.p);
	ev_suggest(ctx, item->head, item->has_terms, &hint);
	return ev_fail(ctx, item->head.p, -ENOENT,
		       "no PMU or event '%s'%s; auxrec list shows this machine's events",
		       ev_show(&shown, item->head), hint.s);
}

int ev_pmu(struct ev_ctx *ctx, const struct ev_item *item)
{
	struct ev_text none = { 0 };
	struct pmu *pmu;
	char *name;
	int ret;

	ret = ev_read_pmus(ctx);
	if (ret)
		return ret;
	name = ev_strdup(item->head);
	if (!name)
		return ev_no_memory(ctx);
	pmu = pmu_find(&ctx->pmus, name);
	if (pmu) {
		ret = add(ctx, pmu, item, none);
	} else if (any_match(ctx, name)) {
		ret = add_matching(ctx, item, name);
	} else {
		ret = ev_alias(ctx, item, item->head);
		if (ret == -ENOENT)
			ret = unknown(ctx, item);
	}
	free(name);
	return ret;
}
