// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read FEATURE records, which describe the machine and the recording.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "info/info.h"
#include "base/bytes.h"

static const char *take_string(struct read_bytes *b)
{
	__u32 len = read_u32(b);
	const char *s = read_take(b, len);

	return s && memchr(s, 0, len) ? s : NULL;
}

static int set(struct info *info, __u64 id, char *text)
{
	if (!text)
		return -ENOMEM;
	free(info->feature[id]);
	info->feature[id] = text;
	return 0;
}

/* Join the command's words with spaces. */
static int take_cmdline(struct info *info, struct read_bytes *b)
{
	__u32 nr = read_u32(b), i;
	/* The text is not longer than the rest of the record and a NUL. */
	char *text = malloc(b->left + 1);
	size_t used = 0;

	if (!text)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		const char *word = take_string(b);
		size_t len;

		if (!word)
			break;
		len = strlen(word);
		if (used)
			text[used++] = ' ';
		memcpy(text + used, word, len);
		used += len;
	}
	text[used] = 0;
	return set(info, REC_FEAT_CMDLINE, text);
}

int info_feature(struct info *info, const struct read_record *rec)
{
	struct read_bytes b = read_bytes_init(read_body(rec), read_body_size(rec));
	__u64 id = read_u64(&b);
	const char *s;

	switch (id) {
	case REC_FEAT_HOSTNAME:
	case REC_FEAT_OSRELEASE:
	case REC_FEAT_VERSION:
	case REC_FEAT_ARCH:
	case REC_FEAT_CPUDESC:
	case REC_FEAT_CPUID:
		s = take_string(&b);
		return s ? set(info, id, strdup(s)) : 0;
	case REC_FEAT_CMDLINE:
		return take_cmdline(info, &b);
	case REC_FEAT_NRCPUS:
		info->cpus_avail = read_u32(&b);
		info->cpus_online = read_u32(&b);
		return 0;
	case REC_FEAT_TOTAL_MEM:
		info->memory = read_u64(&b);
		return 0;
	case REC_FEAT_CLOCK_DATA:
		if (rec->size >= sizeof(info->clock))
			memcpy(&info->clock, rec->hdr, sizeof(info->clock));
		return 0;
	case REC_FEAT_BPF_PROG_INFO:
		info->bpf_progs += read_u32(&b);
		return 0;
	case REC_FEAT_BPF_BTF:
		info->bpf_btfs += read_u32(&b);
		return 0;
	}
	return 0;
}
