// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event parser's main part: lists, groups, and finding out an event's kind.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/parse.h"
#include "event/probe.h"
#include "event/tracefs.h"
#include "base/util.h"

/* Events that perf stat measures itself. They cannot be recorded. */
static const char *const stat_events[] = {
	"duration_time", "user_time", "system_time",
};

static int unknown(struct ev_ctx *ctx, struct ev_text name)
{
	char *copy = ev_strdup(name);
	struct ev_buf hint = { 0 };
	struct ev_shown shown;
	const char *text;
	struct pmu *pmu;

	if (!copy)
		return ev_no_memory(ctx);
	ev_show(&shown, name);
	text = shown.s;
	pmu = ev_read_pmus(ctx) ? NULL : pmu_find(&ctx->pmus, copy);
	free(copy);
	if (pmu)
		return ev_fail(ctx, name.p, -ENOENT,
			       "'%s' is a PMU, not an event: write %s//", text,
			       text);
	if (ev_equal(name, "intel_pt"))
		return ev_no_intel_pt(ctx, name.p);
	ev_suggest(ctx, name, false, &hint);
	return ev_fail(ctx, name.p, -ENOENT,
		       "no event '%s'%s; auxrec list shows this machine's events",
		       text, hint.s);
}

static bool has_system(struct ev_ctx *ctx, struct ev_text system)
{
	struct names names = { 0 };
	char *copy = ev_strdup(system);
	int ret = -ENOMEM;

	if (copy && ctx->root.tracefs)
		ret = tracepoint_events(ctx->root.tracefs, copy, &names);
	names_free(&names);
	free(copy);
	return !ret;
}

/* Resolve NAME:REST, where NAME is none of the general events. */
static int name_and_more(struct ev_ctx *ctx, const struct ev_item *item,
			 struct ev_text name, struct ev_text rest,
			 struct ev_text *mods)
{
	struct ev_text second;
	int ret;

	ev_split(&rest, ':', &second);
	if (!name.len || !second.len)
		return ev_fail(ctx, name.len ? second.p : name.p, -EINVAL,
			       "a tracepoint is SYSTEM:NAME");
	if (!rest.p && !item->has_terms && ev_is_mods(second)) {
		ret = ev_alias(ctx, item, name);
		if (ret != -ENOENT) {
			*mods = second;
			return ret;
		}
		if (!has_system(ctx, name))
			return unknown(ctx, name);
	}
	if (rest.p) {
		if (item->has_terms)
			return ev_fail(ctx, rest.p, -EINVAL,
				       "write modifiers after the last slash");
		*mods = rest;
	}
	return ev_tracepoint(ctx, item, name, second);
}

/* Resolve an event whose name tells its kind. Return -ENOENT for any other name. */
static int general(struct ev_ctx *ctx, const struct ev_item *item,
		   struct ev_text name)
{
	const struct ev_symbol *symbol = ev_symbol(name);
	struct ev_text digits = { name.p + 1, name.len - 1 };
	struct ev_shown shown;
	__u64 config;
	int ret;

	if (symbol)
		return ev_hw(ctx, item, symbol);
	for (size_t i = 0; i < ARRAY_LEN(stat_events); i++) {
		if (ev_equal(name, stat_events[i]))
			return ev_fail(ctx, name.p, -EINVAL,
				       "'%s' is for counting (perf stat), not for recording",
				       stat_events[i]);
	}
	if (name.len > 1 && name.p[0] == 'r') {
		ret = ev_hex(digits, &config);
		if (ret == -ERANGE)
			return ev_fail(ctx, name.p, ret,
				       "'%s' does not fit 64 bits",
				       ev_show(&shown, name));
		if (!ret)
			return ev_raw(ctx, item, config);
	}
	ret = ev_cache_config(name, &config);
	if (ret == -EINVAL)
		return ev_fail(ctx, name.p, ret,
			       "'%s': this cache has no such operation",
			       ev_show(&shown, name));
	if (ret)
		return ret;
	/* An ARM PMU can have a more precise event of the same name. */
	ret = ev_alias(ctx, item, name);
	return ret == -ENOENT ? ev_cache(ctx, item, config) : ret;
}

static int resolve(struct ev_ctx *ctx, const struct ev_item *item,
		   struct ev_text *mods)
{
	struct ev_text rest = item->head;
	struct ev_text name;
	__u64 number;
	int ret;

	if (probe_text(item->head.p))
		return ev_probe(ctx, item);
	ev_split(&rest, ':', &name);
	if (ev_equal(name, "mem") && rest.p)
		return ev_breakpoint(ctx, item, mods);
	/* 9p:9p_client_req is a tracepoint: "9p" is not a number. */
	if (ev_number(name, &number) != -EINVAL)
		return ev_numeric(ctx, item, mods);
	ret = general(ctx, item, name);
	if (ret != -ENOENT) {
		if (rest.p)
			*mods = rest;
		return ret;
	}
	if (rest.p)
		return name_and_more(ctx, item, name, rest, mods);
	if (item->has_terms)
		return ev_pmu(ctx, item);
	ret = ev_alias(ctx, item, name);
	return ret == -ENOENT ? unknown(ctx, name) : ret;
}

static int set_names(struct ev_ctx *ctx, struct ev_text text, size_t first)
{
	for (size_t i = first; i < ctx->out.nr; i++) {
		struct auxrec_event *ev = &ctx->out.list[i];

		if (!ev->name)
			ev->name = ev_strdup(text);
		if (!ev->name)
			return ev_no_memory(ctx);
	}
	return 0;
}

static int parse_event(struct ev_ctx *ctx, const char **p)
{
	size_t first = ctx->out.nr;
	struct ev_text mods = { 0 };
	struct ev_item item;
	int ret;

	ret = ev_item_scan(ctx, *p, &item, p);
	if (!ret)
		ret = resolve(ctx, &item, &mods);
	if (!ret && item.has_terms) {
		if (mods.p)
			return ev_fail(ctx, mods.p, -EINVAL,
				       "write modifiers after the last slash");
		mods = item.tail;
		if (mods.len && mods.p[0] == ':') {
			mods.p++;
			mods.len--;
		}
	}
	if (!ret)
		ret = set_names(ctx, item.text, first);
	if (!ret)
		ret = ev_mods(ctx, mods, first, false);
	return ret;
}

/* A group begins with "{" or, as perf allows, "NAME{". auxrec ignores the name of a group. */
static const char *group_begin(const char *p)
{
	while (isalnum((unsigned char)*p) || (*p && strchr("_-.", *p)))
		p++;
	return *p == '{' ? p : NULL;
}

static int group_mods(struct ev_ctx *ctx, const char **p, size_t first)
{
	struct ev_text mods;

	*p = ev_skip_blanks(*p);
	if (**p != ':')
		return 0;
	mods.p = *p + 1;
	mods.len = strcspn(mods.p, ",{}");
	*p = mods.p + mods.len;
	return ev_mods(ctx, mods, first, true);
}

static int parse_group(struct ev_ctx *ctx, const char *brace, const char **p,
		       int *group)
{
	size_t first = ctx->out.nr;
	int ret;

	ctx->group = *group;
	ctx->leader = true;
	*p = brace;
	do {
		(*p)++;
		if (group_begin(ev_skip_blanks(*p)))
			return ev_fail(ctx, ev_skip_blanks(*p), -EINVAL,
				       "a group inside a group");
		ret = parse_event(ctx, p);
		if (ret)
			return ret;
	} while (**p == ',');
	ctx->group = -1;
	ctx->leader = false;
	if (**p != '}')
		return ev_fail(ctx, brace, -EINVAL, "this { has no }");
	(*p)++;
	ret = ev_group_split(ctx, first, group);
	(*group)++;
	return ret ?: group_mods(ctx, p, first);
}

static int parse_list(struct ev_ctx *ctx, int group)
{
	const char *p = ctx->spec;
	const char *brace;
	int ret;

	for (;;) {
		p = ev_skip_blanks(p);
		brace = group_begin(p);
		if (brace)
			ret = parse_group(ctx, brace, &p, &group);
		else
			ret = parse_event(ctx, &p);
		if (ret)
			return ret;
		p = ev_skip_blanks(p);
		if (!*p)
			return 0;
		if (*p == '}')
			return ev_fail(ctx, p, -EINVAL, "this } has no {");
		if (*p != ',')
			return ev_fail(ctx, p, -EINVAL, "a comma is missing");
		p++;
	}
}

/* Does the kernel know the event? If the kernel refuses it for lack of permission, yes. */
static bool ask_kernel(const struct perf_event_attr *attr)
{
	struct perf_event_attr copy = *attr;
	int fd;

	copy.disabled = 1;
	copy.exclude_kernel = 1;
	fd = syscall(SYS_perf_event_open, &copy, 0, -1, -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno == EACCES || errno == EPERM;
	close(fd);
	return true;
}

static bool say_yes(const struct perf_event_attr *attr)
{
	(void)attr;
	return true;
}

void ev_root_init(struct auxrec_sysroot *to, const struct auxrec_sysroot *from,
		  char *tracefs, size_t size)
{
	memset(to, 0, sizeof(*to));
	if (from)
		*to = *from;
	if (!to->supported)
		to->supported = to->sysfs ? say_yes : ask_kernel;
	if (!to->sysfs)
		to->sysfs = "/sys";
	if (!to->tracefs && !tracepoint_find_tracefs(tracefs, size))
		to->tracefs = tracefs;
}

static int append(struct ev_ctx *ctx, struct auxrec_events *events)
{
	struct auxrec_event *list;

	list = reallocarray(events->list, events->nr + ctx->out.nr,
			    sizeof(*list));
	if (!list)
		return ev_no_memory(ctx);
	memcpy(list + events->nr, ctx->out.list, ctx->out.nr * sizeof(*list));
	events->list = list;
	events->nr += ctx->out.nr;
	free(ctx->out.list);
	memset(&ctx->out, 0, sizeof(ctx->out));
	return 0;
}

int auxrec_events_parse(struct auxrec_events *events, const char *spec,
			const struct auxrec_sysroot *root,
			char *err, size_t err_len)
{
	struct ev_ctx ctx = {
		.spec = spec, .err = err, .err_len = err_len, .group = -1,
	};
	char tracefs[PATH_MAX];
	int group = 0;
	int ret;

	ev_root_init(&ctx.root, root, tracefs, sizeof(tracefs));
	for (size_t i = 0; i < events->nr; i++) {
		if (events->list[i].group >= group)
			group = events->list[i].group + 1;
	}
	ret = parse_list(&ctx, group);
	if (!ret)
		ret = append(&ctx, events);
	if (!ret && err_len)
		err[0] = '\0';
	auxrec_events_free(&ctx.out);
	pmu_set_free(&ctx.pmus);
	return ret;
}

void auxrec_events_free(struct auxrec_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		ev_free(&events->list[i]);
	free(events->list);
	memset(events, 0, sizeof(*events));
}
