// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose the default size of main rings, and find recordings that need only small ones.
 */
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session/session.h"

bool session_only_aux(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].ev && !s->sev[i].aux)
			return false;
	return session_per_task(s) && !s->opt->bpf_ring;
}

bool session_only_user_aux(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].ev && !s->sev[i].attr.exclude_kernel)
			return false;
	return session_only_aux(s);
}

/*
 * Does perf_mmap() ignore the limits of locked memory? It does with CAP_IPC_LOCK in the first user
 * namespace, which is the one that maps all users.
 */
static bool may_lock_anything(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	unsigned int inside, outside, nr;
	char map[64];

	if (syscall(SYS_capget, &header, data) || !(data[0].effective & 1U << CAP_IPC_LOCK))
		return false;
	return !slurp_line("/proc/self/uid_map", map, sizeof(map)) &&
	       sscanf(map, "%u %u %u", &inside, &outside, &nr) == 3 &&
	       !inside && !outside && nr == UINT_MAX;
}

/* Return what perf_mmap() allows if this user has locked nothing else. */
static __u64 may_lock(void)
{
	struct rlimit limit = { 0, 0 };
	__u64 kib = 0;

	if (may_lock_anything())
		return ~0ULL;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	slurp_u64("/proc/sys/kernel/perf_event_mlock_kb", &kib);
	/* The rest of the limit is for the raw ring. */
	return (kib << 10) * sysconf(_SC_NPROCESSORS_ONLN) + limit.rlim_cur / 4;
}

/*
 * Return the size for samples whose data is in the raw ring. Reading such a sample takes longer
 * than copying a whole one, so more samples wait in the main ring.
 */
static size_t with_payloads(void)
{
	const __u64 nr = sysconf(_SC_NPROCESSORS_ONLN), limit = may_lock();
	size_t bytes = AUXREC_MAIN_LARGE;

	while (bytes > AUXREC_MAIN_DEFAULT &&
	       (bytes * nr > AUXREC_MAIN_LARGE_ALL ||
		(bytes + sysconf(_SC_PAGESIZE)) * nr > limit))
		bytes /= 2;
	return bytes;
}

size_t session_main_bytes(const struct session *s)
{
	if (s->opt->main_bytes)
		return s->opt->main_bytes;
	if (session_only_aux(s))
		return AUXREC_MAIN_SMALL;
	return s->have_payloads ? with_payloads() : AUXREC_MAIN_DEFAULT;
}
