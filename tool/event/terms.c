// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing terms, which stand between the slashes of an event or in a file of
 * events/.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"
#include "base/util.h"

/*
 * Terms that every event can have, as in perf-list(1). No message suggests a term with @refused.
 * Older kernels refuse config3 and config4. attr_check_terms() refuses the other terms with
 * @refused; the parser knows them so that attr_check_terms() can say why.
 */
static const struct {
	const char *name;
	enum ev_kind kind;
	bool tracepoint;	/* also for tracepoints */
	bool refused;
} known[] = {
	{ "config",		EV_CONFIG,		false, false },
	{ "config1",		EV_CONFIG1,		false, false },
	{ "config2",		EV_CONFIG2,		false, false },
	{ "config3",		EV_CONFIG3,		false, true },
	{ "config4",		EV_CONFIG4,		false, true },
	{ "name",		EV_NAME,		false, false },
	{ "period",		EV_PERIOD,		true, false },
	{ "freq",		EV_FREQ,		true, false },
	{ "branch_type",	EV_BRANCH,		false, false },
	{ "time",		EV_TIME,		false, false },
	{ "call-graph",		EV_CALLGRAPH,		true, false },
	{ "stack-size",		EV_STACK_SIZE,		true, false },
	{ "max-stack",		EV_MAX_STACK,		true, false },
	{ "nr",			EV_NR,			true, false },
	{ "inherit",		EV_INHERIT,		true, false },
	{ "no-inherit",		EV_NO_INHERIT,		true, false },
	{ "overwrite",		EV_OVERWRITE,		true, true },
	{ "no-overwrite",	EV_NO_OVERWRITE,	true, false },
	{ "percore",		EV_PERCORE,		false, false },
	{ "aux-output",		EV_AUX_OUTPUT,		true, true },
	{ "aux-sample-size",	EV_AUX_SAMPLE_SIZE,	true, true },
	{ "metric-id",		EV_METRIC_ID,		false, false },
};

void ev_terms_list(struct ev_buf *buf, bool tracepoint)
{
	const char *sep = "";

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (known[i].refused || (tracepoint && !known[i].tracepoint))
			continue;
		ev_printf(buf, "%s%s", sep, known[i].name);
		sep = ", ";
	}
}

static enum ev_kind kind_of(struct ev_text name)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (ev_equal(name, known[i].name))
			return known[i].kind;
	}
	return EV_USER;
}

static int parse_value(struct ev_ctx *ctx, struct ev_text text,
		       struct ev_term *term)
{
	bool quoted = text.len && text.p[0] == '\'';
	struct ev_shown shown;
	int ret;

	if (quoted) {
		if (text.len < 2 || text.p[text.len - 1] != '\'')
			return ev_fail(ctx, term->at_value, -EINVAL,
				       "nothing may follow the second '");
		text.p++;
		text.len -= 2;
	}
	if (!text.len)
		return ev_fail(ctx, term->at_value, -EINVAL,
			       "'%s=' has no value",
			       ev_show_string(&shown, term->name));
	term->string = ev_strdup(text);
	if (!term->string)
		return ev_no_memory(ctx);
	term->value = EV_STRING;
	if (quoted)
		return 0;
	ret = ev_number(text, &term->number);
	if (ret == -ERANGE)
		return ev_fail(ctx, term->at_value, -ERANGE,
			       "%s does not fit 64 bits",
			       ev_show(&shown, text));
	if (!ret)
		term->value = EV_NUMBER;
	return 0;
}

static int parse_term(struct ev_ctx *ctx, struct ev_text text,
		      struct ev_text *at, struct ev_term *term)
{
	struct ev_text name = text;
	struct ev_text value;
	const char *equal = NULL;

	if (text.len)
		equal = memchr(text.p, '=', text.len);
	if (equal)
		name.len = equal - text.p;
	name = ev_trim(name);
	term->at = at ? *at : name;
	if (!name.len)
		return ev_fail(ctx, term->at.p, -EINVAL, "a term is missing %s",
			       equal ? "before =" : "here");
	term->number = 1;
	if (name.p[0] == '@' && name.len > 1) {
		name.p++;
		name.len--;
		term->kind = EV_SINK;
	} else {
		term->kind = kind_of(name);
	}
	term->name = ev_strdup(name);
	if (!term->name)
		return ev_no_memory(ctx);
	if (!equal)
		return 0;
	value.p = equal + 1;
	value.len = text.p + text.len - value.p;
	value = ev_trim(value);
	term->at_value = at ? at->p : value.p;
	return parse_value(ctx, value, term);
}

int ev_terms_parse(struct ev_ctx *ctx, struct ev_text text, struct ev_text *at,
		   struct ev_terms *terms)
{
	struct ev_text rest = ev_trim(text);
	struct ev_text part;
	struct ev_term *list;
	int ret = 0;

	if (!rest.len)
		return 0;
	while (!ret && ev_split(&rest, ',', &part)) {
		if (!(terms->nr & (terms->nr - 1))) {
			size_t room = terms->nr ? terms->nr * 2 : 1;

			list = reallocarray(terms->list, room, sizeof(*list));
			if (!list)
				return ev_no_memory(ctx);
			terms->list = list;
		}
		list = &terms->list[terms->nr++];
		memset(list, 0, sizeof(*list));
		ret = parse_term(ctx, ev_trim(part), at, list);
	}
	return ret;
}

void ev_terms_free(struct ev_terms *terms)
{
	for (size_t i = 0; i < terms->nr; i++) {
		free(terms->list[i].name);
		free(terms->list[i].string);
	}
	free(terms->list);
	memset(terms, 0, sizeof(*terms));
}
