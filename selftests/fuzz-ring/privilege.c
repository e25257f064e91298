// SPDX-License-Identifier: GPL-2.0-only
/* Become the caller: an ordinary user, or root with a limit of locked memory. */
#define _GNU_SOURCE
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fuzz.h"

#define MEMLOCK		(24UL << 20)

static void limit(int what, rlim_t value)
{
	struct rlimit l = { value, value };

	if (setrlimit(what, &l)) {
		perror("setrlimit");
		exit(2);
	}
}

void become_user(uid_t uid)
{
	limit(RLIMIT_MEMLOCK, MEMLOCK / 2);
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid)) {
		perror("cannot become an ordinary user");
		exit(2);
	}
	/* Makes /proc/self belong to the user again. */
	prctl(PR_SET_DUMPABLE, 1);
}

/* Keep all rights except CAP_IPC_LOCK: without a limit, rings would fill the memory. */
void become_limited_root(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];

	limit(RLIMIT_MEMLOCK, MEMLOCK);
	if (syscall(SYS_capget, &header, data)) {
		perror("capget");
		exit(2);
	}
	data[0].effective &= ~(1U << CAP_IPC_LOCK);
	data[0].permitted &= ~(1U << CAP_IPC_LOCK);
	data[0].inheritable &= ~(1U << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &header, data)) {
		perror("capset");
		exit(2);
	}
}
