/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PERFAUX_FUNCTION_H
#define PERFAUX_FUNCTION_H

#include <linux/ftrace.h>

void *pa_function(const char *name);
const void *pa_data(const char *name);
int pa_function_filter(struct ftrace_ops *ops, const char *name);

#endif /* PERFAUX_FUNCTION_H */
