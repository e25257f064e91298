// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fill the pinned maps in which BPF programs find what they write to. bpf-output events are
 * in a perf event array, by CPU (bpf_perf_event_output() with BPF_F_CURRENT_CPU). The raw
 * ring's handle is in an array.
 */
#include <errno.h>
#include <string.h>

#include "base/bpf_sys.h"
#include "session/session.h"

static int map_get(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (unsigned long)path;
	return bpf_sys(BPF_OBJ_GET, &attr);
}

/* @cmd: BPF_MAP_UPDATE_ELEM reads *@value, BPF_MAP_LOOKUP_ELEM writes it. */
static int map_elem(int cmd, int map, __u32 key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.map_fd = map;
	attr.key = (unsigned long)&key;
	attr.value = (unsigned long)value;
	return bpf_sys(cmd, &attr);
}

int bpf_map_open(const char *option, const char *path, __u32 type,
		 __u32 value_size, const char *kind, struct diag *d)
{
	const int map = map_get(path);
	struct bpf_map_info info;
	int err;

	if (map < 0)
		return diag(d, map, "%s: %s: %s%s", option, path,
			    strerror(-map), map == -ENOENT || map == -EINVAL ||
			    map == -EACCES ?
			    ": give the path of a pinned map, below /sys/fs/bpf" :
			    "");
	memset(&info, 0, sizeof(info));
	err = bpf_get_info(map, &info, sizeof(info));
	if (!err && info.type == type && info.value_size == value_size)
		return map;
	close(map);
	if (err)
		return diag(d, err, "%s: %s: %s", option, path, strerror(-err));
	return diag(d, -EINVAL,
		    "%s: %s is no %s but a map of type %u with values of %u bytes",
		    option, path, kind, info.type, info.value_size);
}

int bpf_map_fill(const struct session *s, struct sev *sev, struct diag *d)
{
	const char *path = sev->ev->bpf_map;
	int map, err = 0;
	size_t i;

	if (s->nr_tids > 1)
		return diag(d, -EINVAL,
			    "--bpf-map: a map has one event for each CPU: record with -a, or one thread with -t");
	map = bpf_map_open("--bpf-map", path, BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4,
			   "perf event array (BPF_MAP_TYPE_PERF_EVENT_ARRAY)", d);
	if (map < 0)
		return map;
	sev->map_fd = map;
	for (i = 0; !err && i < sev->nr_fds; i++) {
		err = map_elem(BPF_MAP_UPDATE_ELEM, map, sev->fds[i].cpu,
			       &sev->fds[i].fd);
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

int bpf_ring_open(struct session *s, struct diag *d)
{
	int err;

	s->bpf_ring_fd = bpf_map_open("--bpf-ring", s->opt->bpf_ring,
				      BPF_MAP_TYPE_ARRAY, sizeof(s->bpf_handle),
				      "array of 64 bit values (BPF_MAP_TYPE_ARRAY)",
				      d);
	if (s->bpf_ring_fd < 0)
		return s->bpf_ring_fd;
	err = rawring_handle(&s->raw, &s->bpf_handle);
	if (err == -EOPNOTSUPP)
		return diag(d, err,
			    "--bpf-ring: BPF programs cannot write to the raw ring on this kernel, its log says why: have them write to an event, with --bpf-map");
	return err ? diag(d, err, "--bpf-ring: %s", strerror(-err)) : 0;
}

int bpf_ring_store(struct session *s, struct diag *d)
{
	const int err = map_elem(BPF_MAP_UPDATE_ELEM, s->bpf_ring_fd, 0,
				 &s->bpf_handle);

	if (err)
		return diag(d, err, "--bpf-ring: %s: %s, recording ended",
			    s->opt->bpf_ring, strerror(-err));
	s->bpf_ring_stored = true;
	return 0;
}

void bpf_ring_clear(struct session *s)
{
	const __u64 none = 0;
	__u64 now = 0;

	/* Another recording may have stored its handle there meanwhile. */
	if (s->bpf_ring_stored &&
	    !map_elem(BPF_MAP_LOOKUP_ELEM, s->bpf_ring_fd, 0, &now) &&
	    now == s->bpf_handle)
		map_elem(BPF_MAP_UPDATE_ELEM, s->bpf_ring_fd, 0, &none);
	s->bpf_ring_stored = false;
}
