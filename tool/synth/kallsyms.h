/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef AUXREC_KALLSYMS_H
#define AUXREC_KALLSYMS_H

#include <stddef.h>

/*
 * kallsyms_why_hidden() - why /proc/kallsyms shows us no address of the kernel
 * @why: for the reason, and what helps, in one line
 */
void kallsyms_why_hidden(char *why, size_t size);

#endif /* AUXREC_KALLSYMS_H */
