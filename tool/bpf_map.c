// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf-output events, where programs of BPF find them: in a perf event array that is
 * pinned, by CPU (bpf_perf_event_output() with BPF_F_CURRENT_CPU).
 */
#include <errno.h>
#include <string.h>

#include "bpf_sys.h"
#include "session.h"

static int map_open(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (unsigned long)path;
	return bpf_sys(BPF_OBJ_GET, &attr);
}

static int map_set(int map, __u32 cpu, int fd)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&cpu;
	attr.value = (unsigned long)&fd;
	return bpf_sys(BPF_MAP_UPDATE_ELEM, &attr);
}

static int check_map(int map, const char *path, struct diag *d)
{
	struct bpf_map_info info;
	int err;

	memset(&info, 0, sizeof(info));
	err = bpf_get_info(map, &info, sizeof(info));
	if (err)
		return diag(d, err, "--bpf-map: %s: %s", path, strerror(-err));
	if (info.type != BPF_MAP_TYPE_PERF_EVENT_ARRAY)
		return diag(d, -EINVAL,
			    "--bpf-map: %s is no perf event array (BPF_MAP_TYPE_PERF_EVENT_ARRAY) but a map of type %u",
			    path, info.type);
	return 0;
}

int bpf_map_fill(const struct session *s, struct sev *sev, struct diag *d)
{
	const char *path = sev->ev->bpf_map;
	int map, err;
	size_t i;

	if (s->nr_tids > 1)
		return diag(d, -EINVAL,
			    "--bpf-map: a map has one event for each CPU: record with -a, or one thread with -t");
	map = map_open(path);
	if (map < 0)
		return diag(d, map, "--bpf-map: %s: %s%s", path, strerror(-map),
			    map == -ENOENT || map == -EINVAL || map == -EACCES ?
			    ": it is the path of a pinned map, below /sys/fs/bpf" :
			    "");
	sev->map_fd = map;
	err = check_map(map, path, d);
	for (i = 0; !err && i < sev->nr_fds; i++) {
		err = map_set(map, sev->fds[i].cpu, sev->fds[i].fd);
		if (err)
			return diag(d, err,
				    "--bpf-map: %s: the event of CPU %d: %s%s",
				    path, sev->fds[i].cpu, strerror(-err),
				    err == -E2BIG ?
				    ": the map has fewer entries than there are CPUs" :
				    "");
	}
	return err;
}
