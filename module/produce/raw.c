// SPDX-License-Identifier: GPL-2.0-only
/*
 * Move the raw data of samples to a ring, and put a reference in their place.
 *
 * raw_hook.c sends the output of each sample of an attached event here. The
 * kernel's own function then writes the sample, with other raw data. When that
 * function returns, the caller's perf_sample_data is as it was before: the caller
 * may use it for the next event (perf_tp_event() in 6.1) or its filter.
 *
 * Context: that of the sample, any up to NMI, always an RCU reader.
 */
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "event/event.h"
#include "produce/raw.h"
#include "ring/writer.h"

/* Replaces the caller's perf_raw_record while the sample is written. */
struct pa_raw_swap {
	struct perf_raw_record record;
	struct perfaux_reference ref;
};

/*
 * A perf_copy_f: returns how many bytes it did not copy. perf_output_sample() would also
 * copy without one, but pa_raw_is_swapped() recognizes our records by its address.
 */
static unsigned long pa_raw_copy(void *to, const void *from, unsigned long at,
				 unsigned long len)
{
	memcpy(to, from + at, len);
	return 0;
}

notrace bool pa_raw_is_swapped(const struct perf_sample_data *data)
{
	return data->raw->frag.copy == pa_raw_copy;
}

/* Add up the length as perf_sample_save_raw_data() and perf_prepare_sample() do. */
static u64 pa_raw_length(const struct perf_raw_record *record)
{
	const struct perf_raw_frag *frag = &record->frag;
	u64 sum = frag->size;

	while (!perf_raw_frag_last(frag)) {
		frag = frag->next;
		sum += frag->size;
	}
	return sum;
}

/* Copy the data as perf_output_sample() does. Returns false if a part cannot be copied. */
static bool pa_raw_gather(void *to, const struct perf_raw_record *record)
{
	const struct perf_raw_frag *frag = &record->frag;

	for (;;) {
		if (!frag->copy)
			memcpy(to, frag->data, frag->size);
		else if (frag->copy(to, frag->data, 0, frag->size))
			return false;
		if (perf_raw_frag_last(frag))
			return true;
		to += frag->size;
		frag = frag->next;
	}
}

/*
 * Store the raw data as a frame, or count it as lost, and fill in @ref. Returns false if the
 * sample must keep its raw data.
 */
static bool pa_raw_store(struct pa_ring *ring, struct perf_event *event,
			 const struct pa_attached *attached,
			 const struct perf_raw_record *record,
			 struct perfaux_reference *ref)
{
	u64 length = pa_raw_length(record);
	struct perfaux_frame *frame;
	enum perfaux_cause cause;

	*ref = (struct perfaux_reference){ .key = ring->ctl->key };
	frame = length > U32_MAX ? NULL :
				   pa_frame_reserve(ring, length, &cause);
	if (!frame) {
		ref->cause = length > U32_MAX ? PERFAUX_CAUSE_TOO_LARGE : cause;
		ref->lost = length;
		pa_lost(ring, ref->cause, length);
		return true;
	}
	frame->flags = PERFAUX_FRAME_SAMPLE;
	frame->cookie = attached->cookie;
	frame->time = event->clock();
	frame->cpu = raw_smp_processor_id();
	frame->pid = pa_event_pid(event, PIDTYPE_TGID);
	frame->tid = pa_event_pid(event, PIDTYPE_PID);
	ref->segment = frame->segment;
	ref->segment_seq = PERFAUX_SEQ(frame->state);
	ref->offset = pa_frame_offset(ring, frame);
	ref->length = length;
	if (!pa_raw_gather(frame->data, record)) {
		pa_frame_end(ring, frame, PERFAUX_FRAME_DISCARDED);
		return false;
	}
	pa_frame_end(ring, frame, PERFAUX_FRAME_COMMITTED);
	return true;
}

/* Return whether @event is attached and the sample must have @ref instead of its data. */
static bool pa_raw_take(struct perf_event *event,
			const struct perf_raw_record *record,
			struct perfaux_reference *ref)
{
	const struct pa_attached *attached;
	struct pa_ring *ring;
	bool taken = false;

	rcu_read_lock();
	attached = pa_attached_find_raw(event);
	ring = attached ? attached->ring : NULL;
	if (ring && percpu_ref_tryget_live(&ring->ref)) {
		taken = pa_raw_store(ring, event, attached, record, ref);
		percpu_ref_put(&ring->ref);
	}
	rcu_read_unlock();
	return taken;
}

/* Return the room that perf_prepare_sample() gives to raw data of this size. */
static s64 pa_raw_room(u64 size)
{
	return round_up(size + sizeof(u32), sizeof(u64));
}

/*
 * Return whether a reference that is longer than the data may find no room, because
 * perf_prepare_sample() has given the rest of a record, which is limited to 64 KiB, to the
 * stack or to AUX data. If the event has a BPF program, perf_prepare_sample() has been
 * called by now (bpf_overflow_handler()).
 */
static bool pa_raw_is_filled_up(const struct perf_sample_data *data, s64 more)
{
	return more > 0 &&
	       data->sample_flags & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_AUX);
}

/*
 * Write the sample. @output is the kernel's function, which is hooked too: its call
 * must not come here again, see pa_raw_is_swapped().
 */
void pa_raw_output(struct perf_event *event, struct perf_sample_data *data,
		   struct pt_regs *regs, perf_overflow_handler_t output)
{
	struct perf_raw_record *record = data->raw;
	struct pa_raw_swap swap;
	s64 more;

	more = pa_raw_room(sizeof(swap.ref)) -
	       pa_raw_room(pa_raw_length(record));
	if (!pa_raw_is_filled_up(data, more) &&
	    pa_raw_take(event, record, &swap.ref)) {
		swap.record = (struct perf_raw_record){
			.frag = {
				.copy = pa_raw_copy,
				.data = &swap.ref,
				.size = sizeof(swap.ref),
			},
			.size = sizeof(swap.ref),
		};
	} else {
		/* Keep the data, after an empty fragment that pa_raw_is_swapped() knows. */
		swap.record = (struct perf_raw_record){
			.frag = {
				.next = &record->frag,
				.copy = pa_raw_copy,
			},
			.size = record->size,
		};
		more = 0;
	}
	data->raw = &swap.record;
	pa_sample_grow(data, more);
	output(event, data, regs);
	pa_sample_grow(data, -more);
	data->raw = record;
}
