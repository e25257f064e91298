/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of CPUs as sysfs and people write them: "0-3,8".
 */
#ifndef AUXREC_CPUS_H
#define AUXREC_CPUS_H

#include <stdbool.h>
#include <stddef.h>

struct cpus {
	int *list;		/* ascending, without repetition */
	size_t nr;
};

/* Return 0, -EINVAL (syntax, or a number above 65535) or -ENOMEM. */
int cpus_parse(struct cpus *cpus, const char *text);

/* Read which CPUs are online now. Return 0 or -errno. */
int cpus_online(struct cpus *cpus);

bool cpus_has(const struct cpus *cpus, int cpu);
void cpus_free(struct cpus *cpus);

#endif /* AUXREC_CPUS_H */
