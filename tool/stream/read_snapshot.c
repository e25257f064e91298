// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and verify the samples of the snapshot event.
 */
#include "stream/read_snapshot.h"

#include "stream/trigger_kind.h"

/* Users choose the names. All characters except ASCII's control characters are allowed. */
static bool is_printable(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return false;
	return true;
}

bool read_snapshot_data(struct read_bytes *b, struct read_snapshot_data *out)
{
	const void *h = b->left ? read_take(b, sizeof(out->h)) : NULL;

	if (!h)
		return false;
	memcpy(&out->h, h, sizeof(out->h));
	out->bytes = read_take(b, out->h.size);
	return out->bytes;
}

/* Are the sizes of all struct auxrec_snapshot_data right? */
static bool is_data(const struct read_snapshot *s)
{
	struct read_bytes b = read_bytes_init(s->data, s->h.data_size);
	struct read_snapshot_data data;

	while (read_snapshot_data(&b, &data))
		if (data.h.full_size < data.h.size)
			return false;
	return !b.failed;
}

const char *read_snapshot(const struct read_sample *s, struct read_snapshot *out)
{
	struct read_bytes b = read_bytes_init(s->raw, s->raw_size);
	const void *h = read_take(&b, sizeof(out->h));

	if (!(s->has & PERF_SAMPLE_RAW) || !h)
		return "shorter than its header";
	memcpy(&out->h, h, sizeof(out->h));
	if (out->h.magic != AUXREC_SNAPSHOT_MAGIC)
		return "another magic";
	if (out->h.version != 3 || out->h.header_size != sizeof(out->h))
		return "another version or header_size";
	out->name = read_take(&b, out->h.name_size);
	out->data = read_take(&b, out->h.data_size);
	if (b.failed)
		return "name_size and data_size beyond its end";
	if (!is_data(out))
		return "data whose sizes are not those that its headers give";
	if (b.left >= 8)
		return "8 or more bytes behind its data";
	for (; b.left; b.left--)
		if (*b.p++)
			return "padding that is not zero";
	if (!out->h.name_size || strnlen(out->name, out->h.name_size) !=
				 out->h.name_size - 1)
		return "a name without its NUL at its end";
	if (!is_printable(out->name, out->h.name_size - 1))
		return "a name that is not printable";
	if (!out->h.number)
		return "number 0";
	if (!out->h.recording || out->h.recording != s->event->attr.config2)
		return "a recording that is not the event's config2";
	if (out->h.raw_last + 1 < out->h.raw_first)
		return "numbers of the raw ring's segments that end before they begin";
	if (out->h.raw_end < out->h.raw_begin)
		return "data of the raw ring that ends before it begins";
	return NULL;
}

const char *read_snapshot_kind(__u32 kind)
{
	return trigger_kind_name(kind) ?: "?";
}

const char *read_snapshot_short(enum snapshot_short part)
{
	static const char * const names[] = {
		[SNAPSHOT_SHORT_NOT]		= "nothing",
		[SNAPSHOT_SHORT_SAMPLES]	= "samples",
		[SNAPSHOT_SHORT_TASKS]		= "tasks and maps",
		[SNAPSHOT_SHORT_RAW]		= "the raw ring",
	};

	return part < ARRAY_SIZE(names) ? names[part] : "?";
}
