// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suggesting existing names that are similar to a name that does not exist.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"
#include "event/tracefs.h"

#define MAX_LEN		64	/* longer names get no suggestion */
#define MAX_HINTS	3

struct hint {
	const char *name;
	unsigned int distance;
};

static unsigned int min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Count the insertions, deletions, replacements and swaps of neighbours that turn @a
 * into @b. Upper and lower case do not matter.
 */
static unsigned int distance(const char *a, const char *b, size_t b_len)
{
	unsigned int rows[3][MAX_LEN + 1];
	unsigned int *two_ago = rows[0], *last = rows[1], *row = rows[2];
	size_t a_len = strlen(a);

	if (a_len > MAX_LEN || b_len > MAX_LEN)
		return ~0U;
	for (size_t j = 0; j <= b_len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		unsigned int *free_row = two_ago;
		int ca = tolower((unsigned char)a[i - 1]);

		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			int cb = tolower((unsigned char)b[j - 1]);
			unsigned int best = last[j - 1] + (ca != cb);

			best = min(best, last[j] + 1);
			best = min(best, row[j - 1] + 1);
			if (i > 1 && j > 1 && ca != cb &&
			    ca == tolower((unsigned char)b[j - 2]) &&
			    cb == tolower((unsigned char)a[i - 2]))
				best = min(best, two_ago[j - 2] + 1);
			row[j] = best;
		}
		two_ago = last;
		last = row;
		row = free_row;
	}
	return last[b_len];
}

static void keep(struct hint *hints, const char *name, unsigned int distance)
{
	for (int i = 0; i < MAX_HINTS; i++) {
		if (hints[i].name && !strcmp(hints[i].name, name))
			return;
		if (hints[i].name && hints[i].distance <= distance)
			continue;
		memmove(hints + i + 1, hints + i,
			(MAX_HINTS - 1 - i) * sizeof(*hints));
		hints[i].name = name;
		hints[i].distance = distance;
		return;
	}
}

void ev_suggest_from(const struct names *names, const char *name, struct ev_buf *buf)
{
	struct hint hints[MAX_HINTS] = { 0 };
	size_t limit = strlen(name) / 3;
	unsigned int d;
	size_t len;

	/* A pattern is not a mistyped name. */
	if (strpbrk(name, "*?["))
		return;
	/* At most a third of the letters can be wrong. In a short name, one letter can be wrong. */
	if (!limit)
		limit = 1;
	for (size_t i = 0; i < names->nr; i++) {
		len = strlen(names->list[i]);
		/* The slashes of PMUs are shown, but not compared. */
		if (len > 2 && !strcmp(names->list[i] + len - 2, "//"))
			len -= 2;
		d = distance(name, names->list[i], len);
		/* Names that begin like @name are similar too: cpu-cyc, uncore_imc_7 */
		if (strlen(name) > 2 &&
		    !strncasecmp(names->list[i], name, strlen(name)))
			d = min(d, 1);
		if (d <= limit)
			keep(hints, names->list[i], d);
	}
	for (int i = 0; i < MAX_HINTS && hints[i].name; i++)
		ev_printf(buf, "%s%s", i ? ", " : "; did you mean ",
			  hints[i].name);
	if (hints[0].name)
		ev_printf(buf, "?");
}

static void add_pmus(struct ev_ctx *ctx, struct names *names)
{
	char *slashes;

	for (size_t i = 0; i < ctx->pmus.nr; i++) {
		const struct pmu *pmu = &ctx->pmus.list[i];

		if (asprintf(&slashes, "%s//", pmu->name) < 0)
			return;
		names_add(names, slashes);
		free(slashes);
		pmu_alias_names(pmu, names);
	}
}

/* @terms: @name has slashes, so a symbol that only begins like @name is no help. */
static void add_symbol(struct names *names, const char *symbol,
		       const char *name, bool terms)
{
	if (symbol && !(terms && !strncasecmp(symbol, name, strlen(name))))
		names_add(names, symbol);
}

void ev_suggest(struct ev_ctx *ctx, struct ev_text name, bool terms,
		struct ev_buf *buf)
{
	struct names names = { 0 };
	char *copy = ev_strdup(name);

	if (!copy)
		return;
	for (size_t i = 0; i < ev_nr_symbols; i++) {
		add_symbol(&names, ev_symbols[i].name, copy, terms);
		add_symbol(&names, ev_symbols[i].alias, copy, terms);
	}
	if (!terms)
		ev_cache_names(&names);
	add_pmus(ctx, &names);
	ev_suggest_from(&names, copy, buf);
	names_free(&names);
	free(copy);
}

void ev_suggest_tracepoint(struct ev_ctx *ctx, struct ev_text system,
			   struct ev_text name, struct ev_buf *buf)
{
	struct names events = { 0 }, all = { 0 };
	char *system_copy = ev_strdup(system);
	char *name_copy = ev_strdup(name);
	char *full;

	if (!system_copy || !name_copy)
		goto out;
	if (tracepoint_events(ctx->root.tracefs, system_copy, &events)) {
		tracepoint_systems(ctx->root.tracefs, &all);
		for (size_t i = 0; i < all.nr; i++) {
			if (asprintf(&full, "%s:", all.list[i]) < 0)
				goto out;
			names_add(&events, full);
			free(full);
		}
		if (asprintf(&full, "%s:", system_copy) < 0)
			goto out;
		ev_suggest_from(&events, full, buf);
		free(full);
	} else {
		ev_suggest_from(&events, name_copy, buf);
	}
out:
	names_free(&events);
	names_free(&all);
	free(system_copy);
	free(name_copy);
}
