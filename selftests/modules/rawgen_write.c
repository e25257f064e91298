// SPDX-License-Identifier: GPL-2.0-only
/* Write one sample of rawgen: its payload, its parts, and the path that it takes. */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "rawgen_pmu.h"
#include "unexported.h"

/* The data of the second part */
struct rawgen_part {
	const void *from;
	enum rawgen_context context;
	bool nest;
	bool fail;
};

static DEFINE_PER_CPU(u32, rawgen_depth);

static int (*rawgen_overflow)(struct perf_event *event,
			      struct perf_sample_data *data,
			      struct pt_regs *regs);

int rawgen_write_init(void)
{
	void *at = unexported("perf_event_overflow");

	if (IS_ERR(at))
		return PTR_ERR(at);
	rawgen_overflow = at;
	return 0;
}

/* A perf_copy_f: returns the number of bytes that it did not copy. */
static unsigned long rawgen_copy(void *to, const void *data, unsigned long at,
				 unsigned long len)
{
	const struct rawgen_part *part = data;
	const unsigned long half = len / 2;

	if (part->fail)
		return len;
	memcpy(to, part->from + at, half);
	if (part->nest)
		rawgen_irq_here(part->context);
	memcpy(to + half, part->from + at + half, len - half);
	return 0;
}

static void rawgen_fill(void *payload, u32 length, u64 seq, u64 key,
			enum rawgen_context context, u32 depth)
{
	struct rawgen_header *header = payload;
	u64 *words = payload;
	u32 i;

	if (length >= sizeof(*header)) {
		*header = (struct rawgen_header){
			.magic = RAWGEN_MAGIC,
			.context = context,
			.cpu = smp_processor_id(),
			.seq = seq,
			.length = length,
			.depth = depth,
			.check = rawgen_check(key, length, depth),
		};
		words += sizeof(*header) / sizeof(*words);
		length -= sizeof(*header);
	}
	for (i = 0; i < DIV_ROUND_UP(length, sizeof(*words)); i++)
		words[i] = rawgen_word(key, i);
}

static void rawgen_sample(struct perf_event *event, struct perf_raw_record *raw,
			  enum rawgen_context context)
{
	perf_overflow_handler_t output = READ_ONCE(event->overflow_handler);
	struct perf_sample_data data;
	struct pt_regs regs;

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	auxgen_save_raw(&data, event, raw);
	/*
	 * perf_event_overflow() is for interrupts of a hardware PMU. With
	 * interrupts on, or at a task switch, do the same as perf_swevent_event().
	 */
	if (context != RAWGEN_HARDIRQ && context != RAWGEN_NMI)
		output(event, &data, &regs);
	else if (rawgen_overflow(event, &data, &regs))
		event->pmu->stop(event, 0);
}

void rawgen_write(struct rawgen_event *ev, enum rawgen_context context)
{
	const struct perf_event_attr *attr = &ev->event->attr;
	const u64 seq = ev->seq[context], config = attr->config;
	const u64 key = rawgen_key(seq, smp_processor_id(), context);
	const u32 length = rawgen_length(config, attr->config1, key);
	const u32 first = rawgen_first(config, seq, length);
	const bool fails = rawgen_fails(config, seq);
	void *payload = ev->payload[context];
	struct rawgen_part part = {
		.from = payload + first,
		.context = context,
		.nest = config & RAWGEN_F_NEST,
		.fail = fails,
	};
	struct perf_raw_frag third = {
		.data = payload + length - first,
		.size = first,
	};
	struct perf_raw_frag second = {
		.copy = rawgen_copy,
		.data = &part,
		.size = length - (fails ? 1 : 2) * first,
	};
	struct perf_raw_record raw = {
		.frag = { .data = payload, .size = length },
	};

	if (attr->config2 && seq >= attr->config2)
		return;
	ev->seq[context]++;
	rawgen_fill(payload, length, seq, key, context,
		    this_cpu_inc_return(rawgen_depth) - 1);
	if (config & (RAWGEN_F_FRAGS | RAWGEN_F_NEST) || fails) {
		raw.frag.size = first;
		raw.frag.next = &second;
		if (!fails)
			second.next = &third;
	}
	local64_inc(&ev->event->count);
	rawgen_sample(ev->event, &raw, context);
	this_cpu_dec(rawgen_depth);
}
