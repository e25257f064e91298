// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the threads and CPUs that are recorded.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/session.h"

static int add_tid(struct session *s, pid_t tid, struct diag *d)
{
	int err;

	err = grow((void **)&s->tids, s->nr_tids, sizeof(*s->tids));
	if (err)
		return diag(d, err, "out of memory");
	s->tids[s->nr_tids++] = tid;
	return 0;
}

/*
 * Add the threads that a process has now. Threads that these threads create later inherit the
 * events. As with perf, a thread is missed if its creator creates it after this function has looked
 * and before the creator's events are opened. Looking again would count inherited threads twice.
 */
static int add_threads(struct session *s, pid_t pid, struct diag *d)
{
	char path[64];
	struct dirent *de;
	int err = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return diag(d, -ESRCH, "-p: there is no process %d", pid);
	while (!err) {
		de = readdir(dir);
		if (!de)
			break;
		if (isdigit((unsigned char)de->d_name[0]))
			err = add_tid(s, atoi(de->d_name), d);
	}
	closedir(dir);
	return err;
}

static int find_cpus(struct session *s, struct diag *d)
{
	struct cpus online;
	size_t i;
	int err;

	err = cpus_online(&online);
	if (err)
		return diag(d, err, "cannot read which CPUs are online: %s",
			    strerror(-err));
	if (!s->opt->cpus) {
		s->cpus = online;
		return 0;
	}

	err = cpus_parse(&s->cpus, s->opt->cpus);
	for (i = 0; !err && i < s->cpus.nr; i++) {
		if (!cpus_has(&online, s->cpus.list[i]))
			err = diag(d, -ENODEV, "-C: CPU %d is not online",
				   s->cpus.list[i]);
	}
	cpus_free(&online);
	return err;
}

int session_find_targets(struct session *s, struct diag *d)
{
	const struct options *opt = s->opt;
	size_t i;
	int err;

	err = find_cpus(s, d);
	if (err)
		return err;
	if (opt->system_wide)
		return add_tid(s, -1, d);
	if (!opt->nr_targets)
		return add_tid(s, s->child, d);

	for (i = 0; !err && i < opt->nr_targets; i++) {
		char path[64];

		if (!opt->threads) {
			err = add_threads(s, opt->targets[i], d);
			continue;
		}
		snprintf(path, sizeof(path), "/proc/%d", opt->targets[i]);
		if (access(path, F_OK))
			return diag(d, -ESRCH, "-t: there is no thread %d",
				    opt->targets[i]);
		err = add_tid(s, opt->targets[i], d);
	}
	return err;
}
