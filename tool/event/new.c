// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making events, freeing them, and their perf_event_attr for the kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/parse.h"

/* Offsets in perf_event_attr, in bytes. */
#define ATTR_CONFIG3	128
#define ATTR_CONFIG4	136

struct auxrec_event *ev_new(struct ev_ctx *ctx, __u32 type, __u64 config)
{
	struct auxrec_events *out = &ctx->out;
	struct auxrec_event *ev, *list;

	/* The array's room doubles, so the array is full if nr is a power of two (or 0). */
	if (!(out->nr & (out->nr - 1))) {
		size_t room = out->nr ? out->nr * 2 : 1;

		list = reallocarray(out->list, room, sizeof(*list));
		if (!list) {
			ev_no_memory(ctx);
			return NULL;
		}
		out->list = list;
	}
	ev = &out->list[out->nr++];
	memset(ev, 0, sizeof(*ev));
	ev->attr.size = sizeof(ev->attr);
	ev->attr.type = type;
	ev->attr.config = config;
	ev->scale = 1.0;
	ev->group = ctx->group;
	ev->leader = ctx->leader;
	ev->max_precise = -1;
	ev->inherit = AUXREC_UNSET;
	ev->overwrite = AUXREC_UNSET;
	ev->time = AUXREC_UNSET;
	ctx->leader = false;
	return ev;
}

void ev_free(struct auxrec_event *ev)
{
	free(ev->name);
	free(ev->pmu);
	free(ev->unit);
	free(ev->cpus);
	free(ev->tp_system);
	free(ev->tp_name);
	free(ev->filter);
	free(ev->filter_typed);
	free(ev->probe_file);
	free(ev->callgraph);
	free(ev->sink);
}

void ev_drop(struct ev_ctx *ctx)
{
	struct auxrec_event *ev = &ctx->out.list[--ctx->out.nr];

	ctx->leader = ev->leader;
	ev_free(ev);
}

__u64 *ev_config(struct auxrec_event *ev, int number)
{
	switch (number) {
	case 0:
		return (__u64 *)&ev->attr.config;
	case 1:
		return (__u64 *)&ev->attr.config1;
	case 2:
		return (__u64 *)&ev->attr.config2;
	case 3:
		return &ev->config3;
	default:
		return &ev->config4;
	}
}

/*
 * The oldest kernels of interest know 128 bytes of perf_event_attr
 * (PERF_ATTR_SIZE_VER7). The fields config3 (6.3) and config4 follow these bytes.
 */
size_t auxrec_attr(const struct perf_event_attr *from, __u64 config3, __u64 config4,
		   unsigned char buf[AUXREC_ATTR_SIZE])
{
	struct perf_event_attr attr = *from;
	size_t known = sizeof(attr) < AUXREC_ATTR_SIZE ? sizeof(attr) :
							 AUXREC_ATTR_SIZE;

	attr.size = ATTR_CONFIG3;
	if (config3)
		attr.size = ATTR_CONFIG4;
	if (config4)
		attr.size = AUXREC_ATTR_SIZE;
	memset(buf, 0, AUXREC_ATTR_SIZE);
	memcpy(buf, &attr, known);
	memcpy(buf + ATTR_CONFIG3, &config3, sizeof(config3));
	memcpy(buf + ATTR_CONFIG4, &config4, sizeof(config4));
	return attr.size;
}

int ev_read_pmus(struct ev_ctx *ctx)
{
	int ret;

	if (ctx->pmus.nr)
		return 0;
	ret = pmu_set_read(&ctx->pmus, ctx->root.sysfs);
	if (ret == -ENOMEM)
		return ev_no_memory(ctx);
	if (ret)
		return ev_fail(ctx, NULL, ret,
			       "cannot read %s/bus/event_source/devices: %s",
			       ctx->root.sysfs, strerror(-ret));
	return 0;
}
