// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parsing breakpoints: mem:ADDR[/LEN][:rwx][:MODIFIERS]
 */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>

#include "event/parse.h"

/* The longest breakpoint that the kernel knows is HW_BREAKPOINT_LEN_8. */
#define MAX_LEN		8

static int parse_access(struct ev_ctx *ctx, struct ev_text text, __u32 *type)
{
	for (size_t i = 0; i < text.len; i++) {
		__u32 bit;

		switch (text.p[i]) {
		case 'r':
			bit = HW_BREAKPOINT_R;
			break;
		case 'w':
			bit = HW_BREAKPOINT_W;
			break;
		default:
			bit = HW_BREAKPOINT_X;
		}
		if (*type & bit)
			return ev_fail(ctx, text.p + i, -EINVAL,
				       "'%c' is given twice", text.p[i]);
		*type |= bit;
	}
	return 0;
}

static bool is_access(struct ev_text text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (!text.p[i] || !strchr("rwx", text.p[i]))
			return false;
	}
	return text.len > 0;
}

/* ADDR[/LEN] */
static int parse_place(struct ev_ctx *ctx, struct ev_text text,
		       struct perf_event_attr *attr)
{
	struct ev_text address, rest = text;
	struct ev_shown shown;
	__u64 value;
	int ret;

	ev_split(&rest, '/', &address);
	ret = ev_number(address, &value);
	if (ret)
		return ev_fail(ctx, address.p, ret,
			       "'%s' is not an address; write mem:0xADDR[/LEN][:rwx]",
			       ev_show(&shown, address));
	attr->bp_addr = value;
	if (!rest.p)
		return 0;
	ret = ev_number(rest, &value);
	if (ret || !value || value > MAX_LEN)
		return ev_fail(ctx, rest.p, ret ?: -ERANGE,
			       "'%s' is not the length of a breakpoint: 1 to %d",
			       ev_show(&shown, rest), MAX_LEN);
	attr->bp_len = value;
	return 0;
}

int ev_breakpoint(struct ev_ctx *ctx, const struct ev_item *item,
		  struct ev_text *mods)
{
	struct ev_text rest = item->head;
	struct perf_event_attr *attr;
	struct auxrec_event *ev;
	struct ev_text part;
	__u32 type = 0;
	int ret;

	ev = ev_new(ctx, PERF_TYPE_BREAKPOINT, 0);
	if (!ev)
		return -ENOMEM;
	attr = &ev->attr;
	attr->sample_period = 1;
	ev_split(&rest, ':', &part);	/* "mem" */
	ev_split(&rest, ':', &part);
	ret = parse_place(ctx, part, attr);
	if (ret)
		return ret;
	if (rest.p) {
		struct ev_text all = rest;

		ev_split(&rest, ':', &part);
		if (is_access(part)) {
			ret = parse_access(ctx, part, &type);
			if (ret)
				return ret;
			if (rest.p)
				*mods = rest;
		} else {
			*mods = all;
		}
	}
	attr->bp_type = type ?: HW_BREAKPOINT_RW;
	if (!attr->bp_len)
		attr->bp_len = type == HW_BREAKPOINT_X ? sizeof(long) :
							 HW_BREAKPOINT_LEN_4;
	return ev_apply_item(ctx, ev, item);
}
