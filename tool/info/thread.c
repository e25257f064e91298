// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of threads.
 */
#include <stdlib.h>
#include <string.h>

#include "info/info.h"

const struct info_thread *info_find_thread(const struct info *info, __u32 tid)
{
	__u32 i;

	if (!read_map_get(&info->by_tid, tid, &i))
		return NULL;
	return &info->threads[i];
}

struct info_thread *info_thread(struct info *info, __u32 tid)
{
	struct info_thread *t;
	__u32 i;

	if (read_map_get(&info->by_tid, tid, &i))
		return &info->threads[i];
	if (!(info->nr_threads & (info->nr_threads - 1))) {
		size_t room = info->nr_threads ? info->nr_threads * 2 : 1;

		t = realloc(info->threads, room * sizeof(*t));
		if (!t)
			return NULL;
		info->threads = t;
	}
	if (read_map_set(&info->by_tid, tid, info->nr_threads))
		return NULL;
	t = &info->threads[info->nr_threads++];
	*t = (struct info_thread) { .tid = tid, .pid = INFO_NOBODY,
				    .ppid = INFO_NOBODY };
	/* No record tells the name of the idle threads. */
	if (!tid)
		memcpy(t->comm, "swapper", sizeof("swapper"));
	return t;
}
