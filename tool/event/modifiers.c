// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modifiers, which are the letters after an event or a group.
 */
#include <errno.h>
#include <string.h>

#include "event/parse.h"
#include "base/util.h"

#define MODIFIERS	"ukhIGHpPSDWeX"

static const char *const meanings[] = {
	"u user", "k kernel", "h hypervisor", "I not idle", "G guests",
	"H host", "p precise (up to ppp)", "P most precise",
	"S read the group", "D pinned", "e exclusive", "W weak group",
};

/* Letters of perf that only `perf stat` uses. */
static const char stat_only[] = "bR";

struct mods {
	bool has[128];
	unsigned int precise;
};

bool ev_is_mods(struct ev_text text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!text.p[i] || (!strchr(MODIFIERS, text.p[i]) &&
				   !strchr(stat_only, text.p[i])))
			return false;
	}
	return text.len > 0;
}

static int unknown(struct ev_ctx *ctx, const char *at)
{
	struct ev_text letter = { at, 1 };
	struct ev_buf list = { 0 };
	struct ev_shown shown;

	for (size_t i = 0; i < ARRAY_LEN(meanings); i++)
		ev_printf(&list, "%s%s", i ? ", " : "", meanings[i]);
	return ev_fail(ctx, at, -EINVAL, "no modifier '%s'; there are: %s",
		       ev_show(&shown, letter), list.s);
}

static int parse(struct ev_ctx *ctx, struct ev_text text, bool group,
		 struct mods *mods)
{
	memset(mods, 0, sizeof(*mods));
	for (size_t i = 0; i < text.len; i++) {
		const char *at = text.p + i;
		unsigned char c = *at;

		if (c && strchr(stat_only, c))
			return ev_fail(ctx, at, -EINVAL,
				       "modifier '%c' is for counting (perf stat), not for recording",
				       c);
		if (!c || !strchr(MODIFIERS, c))
			return unknown(ctx, at);
		if (c == 'p') {
			if (++mods->precise > 3)
				return ev_fail(ctx, at, -EINVAL,
					       "at most ppp: precise_ip is 0 to 3");
			continue;
		}
		if (mods->has[c])
			return ev_fail(ctx, at, -EINVAL,
				       "modifier '%c' is given twice", c);
		mods->has[c] = true;
		if (c == 'W' && !group)
			return ev_fail(ctx, at, -EINVAL,
				       "modifier W is for groups: {A,B}:W");
	}
	return 0;
}

/*
 * u, k and h select levels; levels that are not named are excluded. The levels of a
 * group are added to the levels of its events: in {a:u,b}:k, event a has user and
 * kernel, event b has kernel.
 */
static void set_levels(struct auxrec_event *ev, const struct mods *mods,
		       bool group)
{
	struct perf_event_attr *attr = &ev->attr;

	if (!mods->has['u'] && !mods->has['k'] && !mods->has['h'])
		return;
	if (!group || !(attr->exclude_user || attr->exclude_kernel ||
			attr->exclude_hv)) {
		attr->exclude_user = 1;
		attr->exclude_kernel = 1;
		attr->exclude_hv = 1;
	}
	if (mods->has['u'])
		attr->exclude_user = 0;
	if (mods->has['k'])
		attr->exclude_kernel = 0;
	if (mods->has['h'])
		attr->exclude_hv = 0;
}

static void set_guest(struct auxrec_event *ev, const struct mods *mods)
{
	struct perf_event_attr *attr = &ev->attr;

	if (!mods->has['G'] && !mods->has['H'])
		return;
	if (!ev->gh_given) {
		attr->exclude_guest = 1;
		attr->exclude_host = 1;
	}
	if (mods->has['G'])
		attr->exclude_guest = 0;
	if (mods->has['H'])
		attr->exclude_host = 0;
	ev->gh_given = true;
}

static int apply(struct ev_ctx *ctx, struct auxrec_event *ev, const char *at,
		 const struct mods *mods, bool group)
{
	struct ev_shown shown;

	set_levels(ev, mods, group);
	set_guest(ev, mods);
	if (ev->attr.precise_ip + mods->precise > 3)
		return ev_fail(ctx, at, -EINVAL,
			       "at most ppp, together with the p in '%s'",
			       ev_show_string(&shown, ev->name));
	ev->attr.precise_ip += mods->precise;
	if (mods->has['P'])
		ev->precise_max = true;
	if (mods->has['I'])
		ev->attr.exclude_idle = 1;
	if (mods->has['S'])
		ev->sample_read = true;
	if (mods->has['W'])
		ev->weak_group = true;
	if (ev->group < 0 || ev->leader) {
		if (mods->has['D'])
			ev->attr.pinned = 1;
		if (mods->has['e'])
			ev->attr.exclusive = 1;
	}
	ev->has_modifier = true;
	return 0;
}

int ev_mods(struct ev_ctx *ctx, struct ev_text text, size_t first, bool group)
{
	struct mods mods;
	int ret;

	text = ev_trim(text);
	if (!text.len)
		return 0;
	ret = parse(ctx, text, group, &mods);
	/* The kernel refuses D and e on an event that does not lead its group. */
	if (!ret && !group && ctx->out.list[first].group >= 0 &&
	    !ctx->out.list[first].leader && (mods.has['D'] || mods.has['e']))
		return ev_fail(ctx, text.p, -EINVAL,
			       "modifiers D and e are for the first event of a group, or for the group");
	for (size_t i = first; !ret && i < ctx->out.nr; i++)
		ret = apply(ctx, &ctx->out.list[i], text.p, &mods, group);
	return ret;
}
