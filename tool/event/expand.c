// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expanding the terms of a PMU's event: put them into the bits that format/ tells.
 * A term can be the name of an event in events/, which stands for more terms.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/parse.h"

struct expand {
	struct ev_ctx *ctx;
	struct auxrec_event *ev;
	const struct pmu *pmu;
	struct ev_terms *terms;		/* the user's terms */
	struct ev_term *name;		/* the term that is an event's name */
	struct pmu_alias alias;
	struct ev_terms alias_terms;
};

/* Write the PMU's terms to @buf: "rate (0 to 65535), mode (0 to 1)". */
static void show_formats(struct ev_buf *buf, const struct pmu *pmu)
{
	for (size_t i = 0; i < pmu->nr_formats; i++) {
		const struct pmu_format *format = &pmu->formats[i];

		ev_printf(buf, "%s%s", i ? ", " : "", format->name);
		if (format->config >= 0)
			ev_printf(buf, " (0 to %llu)",
				  (unsigned long long)pmu_format_max(format));
	}
}

static int unknown_term(struct expand *x, const struct ev_term *term)
{
	const struct pmu *pmu = x->pmu;
	struct names names = { 0 };
	struct ev_buf has = { 0 };
	struct ev_shown shown;

	if (pmu->nr_formats)
		ev_printf(&has, "it has: ");
	show_formats(&has, pmu);
	if (!pmu->nr_formats)
		ev_printf(&has, "it has none of its own");
	pmu_alias_names(pmu, &names);
	for (size_t i = 0; i < names.nr && i < 20; i++)
		ev_printf(&has, "%s%s", i ? ", " : "; events: ", names.list[i]);
	if (names.nr > 20)
		ev_printf(&has, ", and %zu more", names.nr - 20);
	names_free(&names);
	ev_printf(&has, "; all PMUs: ");
	ev_terms_list(&has, false);
	return ev_fail(x->ctx, term->at.p, -EINVAL,
		       "PMU '%s' has no term '%s'; %s", pmu->name,
		       ev_show_string(&shown, term->name), has.s);
}

/* "umask=?" in events/ means that the user must give umask too. */
static int parameter(struct expand *x, const struct ev_term *term,
		     const struct pmu_format *format, __u64 *value)
{
	for (size_t i = 0; i < x->terms->nr; i++) {
		struct ev_term *given = &x->terms->list[i];

		if (given->kind == EV_USER && given->value == EV_NUMBER &&
		    !strcmp(given->name, term->name)) {
			given->used = true;
			*value = given->number;
			return 0;
		}
	}
	return ev_fail(x->ctx, term->at.p, -EINVAL,
		       "event '%s' needs a value for '%s': %s/%s,%s=N/, 0 to %llu",
		       x->alias.name, term->name, x->pmu->name, x->alias.name,
		       term->name,
		       (unsigned long long)pmu_format_max(format));
}

static int set_field(struct expand *x, const struct ev_term *term,
		     bool from_alias)
{
	const struct pmu_format *format = pmu_format(x->pmu, term->name);
	struct ev_ctx *ctx = x->ctx;
	__u64 value = term->number;
	struct ev_shown shown;
	__u64 max;
	int ret;

	if (!format)
		return unknown_term(x, term);
	if (format->config < 0)
		return ev_fail(ctx, term->at.p, -EINVAL,
			       "'%s' goes to '%s', which is not understood: no bits of config to config4",
			       term->name,
			       ev_show_string(&shown, format->text));
	max = pmu_format_max(format);
	if (term->value == EV_NOTHING && max > 1)
		return ev_fail(ctx, term->at.p, -EINVAL,
			       "'%s' needs a value: %s=N, 0 to %llu",
			       term->name, term->name, (unsigned long long)max);
	if (term->value == EV_STRING) {
		if (!from_alias || strcmp(term->string, "?"))
			return ev_fail(ctx, term->at_value, -EINVAL,
				       "'%s' of '%s' is not a number: 0 to %llu",
				       ev_show_string(&shown, term->string),
				       term->name, (unsigned long long)max);
		ret = parameter(x, term, format, &value);
		if (ret)
			return ret;
	}
	if (value > max)
		return ev_fail(ctx, term->at_value ?: term->at.p, -ERANGE,
			       "%llu is too large for '%s' (%s): 0 to %llu",
			       (unsigned long long)value, term->name,
			       format->text, (unsigned long long)max);
	pmu_format_set(format, ev_config(x->ev, format->config), value);
	return 0;
}

/* "r1a" is the event "r1a" if the PMU has one, otherwise config=0x1a. */
static void raw_to_config(struct expand *x, struct ev_term *term)
{
	struct ev_text text = { term->name + 1, strlen(term->name) };
	__u64 value;

	if (term->kind != EV_USER || term->value != EV_NOTHING ||
	    term->name[0] != 'r')
		return;
	text.len--;
	if (pmu_format(x->pmu, term->name) ||
	    pmu_has_alias(x->pmu, term->name) || ev_hex(text, &value))
		return;
	term->kind = EV_CONFIG;
	term->value = EV_NUMBER;
	term->number = value;
}

/*
 * An event of a core PMU without a file in events/, such as cpu/cycles/, is the
 * general event of this name, but only for this kind of core if there are several.
 */
static bool is_legacy(struct expand *x, const struct ev_term *term)
{
	struct ev_text name = { term->name, strlen(term->name) };
	const struct ev_symbol *symbol = ev_symbol(name);
	struct perf_event_attr *attr = &x->ev->attr;
	__u64 config;

	if (!x->pmu->core || term->value != EV_NOTHING ||
	    pmu_format(x->pmu, term->name))
		return false;
	if (symbol && symbol->type == PERF_TYPE_HARDWARE) {
		attr->type = PERF_TYPE_HARDWARE;
		attr->config = symbol->config;
	} else if (!symbol && !ev_cache_config(name, &config)) {
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config = config;
	} else {
		return false;
	}
	if (ev_has_hw_types(x->ctx))
		attr->config |= (__u64)x->pmu->type << 32;
	return true;
}

static const char *event_name(struct expand *x, const struct ev_term *term)
{
	const char *name = NULL;

	if (term->kind != EV_USER)
		return NULL;
	if (term->value == EV_NOTHING && !pmu_format(x->pmu, term->name))
		name = term->name;
	else if (term->value == EV_STRING && !strcasecmp(term->name, "event"))
		name = term->string;
	return name && pmu_has_alias(x->pmu, name) ? name : NULL;
}

static int take_alias(struct expand *x, struct ev_term *term, const char *name)
{
	struct auxrec_event *ev = x->ev;
	struct ev_shown shown;
	struct ev_text text;
	int ret;

	if (x->name)
		return ev_fail(x->ctx, term->at.p, -EINVAL,
			       "two events in one: '%s' and '%s'",
			       x->alias.name, ev_show_string(&shown, name));
	ret = pmu_alias_read(x->pmu, name, &x->alias);
	if (ret)
		return ev_fail(x->ctx, term->at.p, ret,
			       "cannot read event '%s' of PMU '%s': %s",
			       ev_show_string(&shown, name), x->pmu->name,
			       strerror(-ret));
	x->name = term;
	if (x->alias.unit) {
		ev->unit = strdup(x->alias.unit);
		if (!ev->unit)
			return ev_no_memory(x->ctx);
	}
	ev->scale = x->alias.scale;
	ev->snapshot = x->alias.snapshot;
	ev->per_pkg = x->alias.per_pkg;
	text.p = x->alias.terms;
	text.len = strlen(text.p);
	return ev_terms_parse(x->ctx, text, &term->at, &x->alias_terms);
}

/* Coresight: sinks/ has the sink's number. As in perf, it goes in config2. */
static int set_sink(struct expand *x, const struct ev_term *term)
{
	struct names names = { 0 };
	struct ev_buf list = { 0 };
	struct ev_shown shown;
	char file[300] = "";
	char path[4096];
	__u64 sink;

	if (snprintf(file, sizeof(file), "sinks/%s", term->name) <
	    (int)sizeof(file) && term->name[0] != '.' &&
	    !strchr(term->name, '/') && term->value == EV_NOTHING) {
		sink = pmu_read_number(x->pmu, file, 16, 0);
		if (sink && sink <= ~0U) {
			x->ev->attr.config2 |= sink;
			free(x->ev->sink);
			x->ev->sink = strdup(term->name);
			return x->ev->sink ? 0 : ev_no_memory(x->ctx);
		}
	}
	snprintf(path, sizeof(path), "%s/sinks", x->pmu->dir);
	names_read_dir(&names, path, false);
	for (size_t i = 0; i < names.nr; i++)
		ev_printf(&list, "%s@%s", i ? ", " : "; there are: ",
			  names.list[i]);
	names_free(&names);
	return ev_fail(x->ctx, term->at.p, -EINVAL, "PMU '%s' has no sink '%s'%s",
		       x->pmu->name, ev_show_string(&shown, term->name),
		       list.s);
}

static int check_twice(struct expand *x, size_t nr)
{
	const struct ev_term *term = &x->terms->list[nr];
	struct ev_shown shown;

	for (size_t i = 0; i < nr; i++) {
		const struct ev_term *other = &x->terms->list[i];

		if (term->kind == EV_USER && other->kind == EV_USER &&
		    !strcmp(other->name, term->name))
			return ev_fail(x->ctx, term->at.p, -EINVAL,
				       "'%s' is given twice",
				       ev_show_string(&shown, term->name));
	}
	return 0;
}

/* Apply terms such as config=N. The PMU's own terms come later: they change bits of this config. */
static int apply_common(struct expand *x, struct ev_terms *terms)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < terms->nr; i++) {
		struct ev_term *term = &terms->list[i];

		if (term->kind == EV_SINK)
			ret = set_sink(x, term);
		else if (term->kind != EV_USER)
			ret = ev_apply(x->ctx, x->ev, term);
	}
	return ret;
}

/*
 * The user's fields replace the fields of the named event and the PMU's defaults:
 * mem-loads,ldlat=30 means 30, whatever ldlat mem-loads has (perf ORs both values).
 */
static int expand(struct expand *x)
{
	struct ev_terms *terms = x->terms;
	int ret = 0;

	for (size_t i = 0; !ret && i < terms->nr; i++) {
		struct ev_term *term = &terms->list[i];
		const char *name;

		raw_to_config(x, term);
		ret = check_twice(x, i);
		name = ret ? NULL : event_name(x, term);
		if (name)
			ret = take_alias(x, term, name);
	}
	if (!ret)
		ret = apply_common(x, &x->alias_terms);
	if (!ret)
		ret = apply_common(x, terms);
	for (size_t i = 0; !ret && i < x->alias_terms.nr; i++) {
		if (x->alias_terms.list[i].kind == EV_USER)
			ret = set_field(x, &x->alias_terms.list[i], true);
	}
	for (size_t i = 0; !ret && i < terms->nr; i++) {
		struct ev_term *term = &terms->list[i];

		if (term->kind == EV_USER && term != x->name && !term->used &&
		    !is_legacy(x, term))
			ret = set_field(x, term, false);
	}
	return ret;
}

int ev_pmu_terms(struct ev_ctx *ctx, struct auxrec_event *ev,
		 const struct pmu *pmu, struct ev_terms *terms)
{
	struct expand x = {
		.ctx = ctx, .ev = ev, .pmu = pmu, .terms = terms,
	};
	int ret;

	ret = expand(&x);
	ev_terms_free(&x.alias_terms);
	pmu_alias_free(&x.alias);
	return ret;
}
