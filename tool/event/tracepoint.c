// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing tracepoints: SYSTEM:NAME. SYSTEM and NAME can be patterns.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"
#include "event/tracefs.h"

struct search {
	struct ev_ctx *ctx;
	const struct ev_item *item;
	struct ev_text system_at;	/* as the user wrote it */
	struct ev_text name_at;
	const char *system;
	const char *name;
	size_t found;
};

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[");
}

static int apply_terms(struct ev_ctx *ctx, struct auxrec_event *ev,
		       const struct ev_item *item)
{
	struct ev_terms terms = { 0 };
	struct ev_shown shown;
	int ret;

	ret = ev_terms_parse(ctx, item->terms, NULL, &terms);
	for (size_t i = 0; !ret && i < terms.nr; i++) {
		const struct ev_term *term = &terms.list[i];
		struct ev_buf list = { 0 };

		switch (term->kind) {
		case EV_PERIOD:
		case EV_FREQ:
		case EV_CALLGRAPH:
		case EV_STACK_SIZE:
		case EV_MAX_STACK:
		case EV_NR:
		case EV_INHERIT:
		case EV_NO_INHERIT:
		case EV_OVERWRITE:
		case EV_NO_OVERWRITE:
		case EV_AUX_OUTPUT:
		case EV_AUX_SAMPLE_SIZE:
			ret = ev_apply(ctx, ev, term);
			break;
		default:
			ev_terms_list(&list, true);
			ret = ev_fail(ctx, term->at.p, -EINVAL,
				      "no term '%s' for tracepoints; there are: %s",
				      ev_show(&shown, term->at), list.s);
		}
	}
	ev_terms_free(&terms);
	return ret;
}

static int no_access(struct search *search, const char *what, int ret)
{
	struct ev_ctx *ctx = search->ctx;

	if (ret == -EACCES || ret == -EPERM)
		return ev_fail(ctx, search->system_at.p, -EACCES,
			       "%s in %s is not readable: record tracepoints as root, or let this user read it",
			       what, ctx->root.tracefs);
	return ev_fail(ctx, search->system_at.p, ret, "cannot read %s in %s: %s",
		       what, ctx->root.tracefs, strerror(-ret));
}

static int not_found(struct search *search)
{
	struct ev_shown system, name;
	struct ev_buf hint = { 0 };

	ev_suggest_tracepoint(search->ctx, search->system_at, search->name_at,
			      &hint);
	return ev_fail(search->ctx, search->system_at.p, -ENOENT,
		       "no tracepoint '%s:%s' in %s/events%s",
		       ev_show(&system, search->system_at),
		       ev_show(&name, search->name_at),
		       search->ctx->root.tracefs, hint.s);
}

static int add(struct search *search, const char *system, const char *name)
{
	struct ev_ctx *ctx = search->ctx;
	struct auxrec_event *ev;
	__u64 id;
	int ret;

	ret = tracepoint_id(ctx->root.tracefs, system, name, &id);
	if (ret == -ENOENT)
		return 0;
	if (ret)
		return no_access(search, "the event's id", ret);
	ev = ev_new(ctx, PERF_TYPE_TRACEPOINT, id);
	if (!ev)
		return -ENOMEM;
	search->found++;
	/* Record every hit. */
	ev->attr.sample_period = 1;
	ev->tp_system = strdup(system);
	ev->tp_name = strdup(name);
	if (!ev->tp_system || !ev->tp_name ||
	    asprintf(&ev->name, "%s:%s", system, name) < 0) {
		ev->name = NULL;
		return ev_no_memory(ctx);
	}
	return apply_terms(ctx, ev, search->item);
}

static int add_events(struct search *search, const char *system)
{
	struct names names = { 0 };
	int ret;

	if (!is_pattern(search->name))
		return add(search, system, search->name);
	ret = tracepoint_events(search->ctx->root.tracefs, system, &names);
	if (ret == -ENOMEM)
		ret = ev_no_memory(search->ctx);
	else if (ret == -ENOENT || ret == -ENAMETOOLONG || ret == -ENOTDIR)
		ret = 0;
	else if (ret)
		ret = no_access(search, "events", ret);
	for (size_t i = 0; !ret && i < names.nr; i++) {
		if (!fnmatch(search->name, names.list[i], 0))
			ret = add(search, system, names.list[i]);
	}
	names_free(&names);
	return ret;
}

static int add_systems(struct search *search)
{
	struct names names = { 0 };
	int ret;

	ret = tracepoint_systems(search->ctx->root.tracefs, &names);
	if (ret == -ENOMEM)
		ret = ev_no_memory(search->ctx);
	else if (ret)
		ret = no_access(search, "events", ret);
	for (size_t i = 0; !ret && i < names.nr; i++) {
		/*
		 * ftrace's own records have ids, but perf_event_open() refuses
		 * all except one, because they have no class->reg.
		 */
		if (!strcmp(names.list[i], "ftrace"))
			continue;
		if (!fnmatch(search->system, names.list[i], 0))
			ret = add_events(search, names.list[i]);
	}
	names_free(&names);
	return ret;
}

/* Report an unreadable tracefs as such, and not as an unknown tracepoint. */
static int check_tracefs(struct search *search)
{
	struct names names = { 0 };
	int ret;

	if (!search->ctx->root.tracefs)
		return ev_fail(search->ctx, search->system_at.p, -ENOENT,
			       "tracepoints need tracefs, which is not mounted: mount -t tracefs nodev /sys/kernel/tracing");
	ret = tracepoint_systems(search->ctx->root.tracefs, &names);
	names_free(&names);
	return ret ? no_access(search, "events", ret) : 0;
}

int ev_tracepoint(struct ev_ctx *ctx, const struct ev_item *item,
		  struct ev_text system, struct ev_text name)
{
	struct search search = {
		.ctx = ctx, .item = item,
		.system_at = system, .name_at = name,
	};
	char *system_copy, *name_copy;
	int ret;

	ret = check_tracefs(&search);
	if (ret)
		return ret;
	system_copy = ev_strdup(system);
	name_copy = ev_strdup(name);
	search.system = system_copy;
	search.name = name_copy;
	if (!system_copy || !name_copy)
		ret = ev_no_memory(ctx);
	else if (is_pattern(system_copy))
		ret = add_systems(&search);
	else
		ret = add_events(&search, system_copy);
	if (!ret && !search.found)
		ret = not_found(&search);
	free(system_copy);
	free(name_copy);
	return ret;
}
