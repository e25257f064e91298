// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cache of decoded blocks. libipt's instruction decoder reads the code: it gets a trace that only
 * says where the block begins.
 */
#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

#include "view/decode/branch.h"
#include "view/decode/code.h"

#define SLOTS		16384	/* a power of two */
#ifndef MOST_BLOCKS
#define MOST_BLOCKS	65536
#endif
#define MOST_INSNS	4096	/* of a block; a longer one goes on as another block */

/* PSB, FUP with a full address, MODE.Exec with CS.L, PSBEND: see the SDM, volume 3 */
#define TRACE_IP	17	/* place of the address in the trace */
static const __u8 trace_template[] = {
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82,
	0xdd, 0, 0, 0, 0, 0, 0, 0, 0,
	0x99, 0x01,
	2, 0x23,
};

struct code {
	struct image *image;
	struct pt_insn_decoder *decoder;
	__u8	trace[sizeof(trace_template)];
	struct code_block *slots[SLOTS];
	struct code_block parts[2];	/* of code_until() */
	unsigned int nr_parts;
	size_t	nr;
};

struct code *code_new(struct image *i)
{
	struct code *c = calloc(1, sizeof(*c));
	struct pt_config config;

	if (!c)
		return NULL;
	c->image = i;
	memcpy(c->trace, trace_template, sizeof(c->trace));
	pt_config_init(&config);
	config.begin = c->trace;
	config.end = c->trace + sizeof(c->trace);
	c->decoder = pt_insn_alloc_decoder(&config);
	if (!c->decoder) {
		free(c);
		return NULL;
	}
	return c;
}

static void forget_all(struct code *c)
{
	struct code_block *b;
	size_t i;

	for (i = 0; i < SLOTS; i++)
		while (c->slots[i]) {
			b = c->slots[i];
			c->slots[i] = b->other;
			free(b);
		}
	c->nr = 0;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	forget_all(c);
	pt_insn_free_decoder(c->decoder);
	free(c);
}

void code_limit(struct code *c)
{
	if (c->nr > MOST_BLOCKS)
		forget_all(c);
}

/* Place the decoder at @ip. Return a status of libipt. */
static int go_to(struct code *c, __u64 ip)
{
	struct pt_event event;
	int status;

	memcpy(c->trace + TRACE_IP, &ip, sizeof(ip));
	pt_insn_set_image(c->decoder, c->image->pt);
	status = pt_insn_sync_set(c->decoder, 0);
	while (status >= 0 && status & pts_event_pending)
		status = pt_insn_event(c->decoder, &event, sizeof(event));
	return status;
}

/* Decode a block at @ip that ends before @limit. Return false if that is not possible. */
static bool decode(struct code *c, __u64 ip, __u64 limit, struct code_block *b)
{
	int status = go_to(c, ip);
	struct pt_insn insn;

	*b = (struct code_block) { .place.ip = ip, .next = ip, .kind = CODE_GOES_ON };
	while (status >= 0 && b->next != limit && b->kind == CODE_GOES_ON &&
	       b->nr_insns < MOST_INSNS) {
		memset(&insn, 0, sizeof(insn));
		status = pt_insn_next(c->decoder, &insn, sizeof(insn));
		/* At a branch that needs trace, libipt returns an error, but still has the insn. */
		if (insn.iclass == ptic_error || !insn.size || insn.ip != b->next)
			return false;
		if (insn.truncated || insn.mode != ptem_64bit)
			return false;
		if (b->nr_insns && insn.isid != b->last.isid)
			break;
		if (!branch_read(&insn, b))
			return false;
		b->last = (struct walk_last) {
			.is_64bit = true, .size = insn.size,
			.iclass = insn.iclass, .isid = insn.isid, .end_ip = insn.ip };
		b->next = insn.ip + insn.size;
		b->nr_insns++;
		/* A status that is a pending event does not occur: the trace has none. */
		if (b->kind == CODE_GOES_ON && status < 0 && status != -pte_eos)
			return false;
	}
	return b->nr_insns;
}

/* Look whether the code of a block is at its address. Return false if it is not. */
static bool renew(struct code *c, struct code_block *b)
{
	struct image *i = c->image;

	if (image_isid(i, b->place.ip, b->next - 1) != b->last.isid)
		return false;
	/* If the same object is there, it is also the same function. */
	if (!b->place.function || image_object(i, b->place.ip) != b->place.function->object)
		b->place.function = image_function(i, b->place.ip, &b->place.is_begin);
	b->generation = i->generation;
	return true;
}

struct code_block *code_find(struct code *c, __u64 ip)
{
	struct code_block **slot = &c->slots[(ip ^ ip >> 14) & (SLOTS - 1)], *b, found;

	for (b = *slot; b; b = b->other)
		if (b->place.ip == ip && (code_is_current(b, c->image) || renew(c, b)))
			return b;
	if (c->nr >= 2 * MOST_BLOCKS || !decode(c, ip, ip - 1, &found) || !renew(c, &found))
		return NULL;
	b = malloc(sizeof(*b));
	if (!b)
		return NULL;
	*b = found;
	b->other = *slot;
	*slot = b;
	c->nr++;
	return b;
}

struct code_block *code_until(struct code *c, __u64 ip, __u64 limit)
{
	struct code_block *b = &c->parts[c->nr_parts++ & 1];

	return decode(c, ip, limit, b) && renew(c, b) ? b : NULL;
}
