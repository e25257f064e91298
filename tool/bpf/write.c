// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "bpf/info.h"
#include "synth/synth.h"

static struct synth_rec rec;

/*
 * As many in a record as it holds: readers that print features print, at each
 * record, all that they know. One in each if they are kept one by one.
 */
static int write_feature(struct session *s, const struct bpf_item *item,
			 __u64 feature)
{
	size_t at = 0;
	__u32 nr = 0;
	int err;

	for (;; item = item->next) {
		while (item && item->feature != feature)
			item = item->next;
		if (nr && (!item || s->out.keep || rec.len + item->size > REC_SIZE_MAX - 4)) {
			memcpy(rec.bytes + at, &nr, sizeof(nr));
			err = synth_end(s, &rec);
			if (err)
				return err;
			nr = 0;
		}
		if (!item)
			return 0;
		if (!nr++) {
			synth_begin(&rec, REC_FEATURE, 0);
			synth_add_u64(&rec, feature);
			at = rec.len;
			synth_add_u32(&rec, 0);
		}
		synth_add(&rec, item->bytes, item->size);
	}
}

int bpf_write(struct session *s)
{
	struct bpf_reader *b = &s->bpf;
	struct bpf_item *list, *next;
	int err;

	if (b->err)
		return 0;
	pthread_mutex_lock(&b->lock);
	list = b->first;
	b->first = NULL;
	b->end = &b->first;
	b->queued = 0;
	pthread_mutex_unlock(&b->lock);

	/* Types first: with them readers name a program's functions. */
	err = write_feature(s, list, REC_FEAT_BPF_BTF);
	if (!err)
		err = write_feature(s, list, REC_FEAT_BPF_PROG_INFO);
	for (; list; list = next) {
		next = list->next;
		if (list->feature == REC_FEAT_BPF_BTF)
			b->nr_btfs++;
		else
			b->nr_progs++;
		free(list);
	}
	return err;
}
