// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups on machines with several kinds of core. The kernel schedules a group
 * on one PMU, but in {cycles,instructions} each name stands for one event per kind
 * of core. Such a group therefore becomes one group per kind.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"

static const char *core_of(struct ev_ctx *ctx, const struct auxrec_event *ev)
{
	for (size_t i = 0; ev->pmu && i < ctx->pmus.nr; i++) {
		const struct pmu *pmu = &ctx->pmus.list[i];

		if (pmu->core && !strcmp(pmu->name, ev->pmu))
			return pmu->name;
	}
	return NULL;
}

/* Return the kind of core of the first event that has one, or NULL. */
static const char *first_core(struct ev_ctx *ctx, size_t first)
{
	const char *core = NULL;

	for (size_t i = first; !core && i < ctx->out.nr; i++)
		core = core_of(ctx, &ctx->out.list[i]);
	return core;
}

/*
 * In the events from @first on, move the events of @core, and all events without a
 * kind of core, to the front. Return the number of these events.
 */
static size_t gather(struct ev_ctx *ctx, size_t first, const char *core,
		     struct auxrec_event *room)
{
	struct auxrec_event *list = ctx->out.list + first;
	size_t nr = ctx->out.nr - first;
	size_t front = 0, back = 0;

	for (size_t i = 0; i < nr; i++) {
		const char *other = core_of(ctx, &list[i]);

		if (other && strcmp(other, core))
			room[back++] = list[i];
		else
			list[front++] = list[i];
	}
	memcpy(list + front, room, back * sizeof(*list));
	return front;
}

/* Make an event the leader of its group, with the modifiers of the old leader. */
static void lead(struct auxrec_event *ev, const struct auxrec_event *old)
{
	ev->leader = true;
	ev->attr.pinned = old->attr.pinned;
	ev->attr.exclusive = old->attr.exclusive;
}

int ev_group_split(struct ev_ctx *ctx, size_t first, int *group)
{
	struct auxrec_event old = ctx->out.list[first];
	struct auxrec_event *room;
	const char *core;

	room = calloc(ctx->out.nr - first, sizeof(*room));
	if (!room)
		return ev_no_memory(ctx);
	while ((core = first_core(ctx, first))) {
		size_t end = first + gather(ctx, first, core, room);

		for (size_t i = first; i < end; i++) {
			ctx->out.list[i].group = *group;
			ctx->out.list[i].leader = false;
			ctx->out.list[i].attr.pinned = 0;
			ctx->out.list[i].attr.exclusive = 0;
		}
		lead(&ctx->out.list[first], &old);
		if (end == ctx->out.nr)
			break;
		(*group)++;
		first = end;
	}
	free(room);
	return 0;
}
