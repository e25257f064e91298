// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write the queue of BPF programs and types to the stream, as FEATURE records.
 */
#include <stdlib.h>
#include <string.h>

#include "bpf/bpf.h"
#include "bpf/info.h"
#include "session/session.h"
#include "stream/build.h"

/*
 * Write as many entries in a record as fit, because readers that print features print
 * all known entries at each record. If the output keeps records (a flight recorder),
 * write one entry per record.
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
		if (nr && (!item || s->out.keep ||
			   s->out.build.len + item->size > REC_SIZE_MAX - 4)) {
			memcpy(s->out.build.bytes + at, &nr, sizeof(nr));
			err = build_end(&s->out);
			if (err)
				return err;
			nr = 0;
		}
		if (!item)
			return 0;
		if (!nr++) {
			build_begin(&s->out, REC_FEATURE, 0);
			build_add_u64(&s->out, feature);
			at = s->out.build.len;
			build_add_u32(&s->out, 0);
		}
		build_add(&s->out, item->bytes, item->size);
	}
}

int bpf_write(struct session *s)
{
	struct bpf_reader *b = s->bpf;
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

	/* Write types first, because readers need them to name a program's functions. */
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
