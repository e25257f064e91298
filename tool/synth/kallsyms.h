/* SPDX-License-Identifier: GPL-2.0-only */
/* Find out why the kernel's symbols are not in /proc/kallsyms. */
#ifndef AUXREC_KALLSYMS_H
#define AUXREC_KALLSYMS_H

#include <stddef.h>

/*
 * kallsyms_why_hidden() - tell why /proc/kallsyms shows no kernel address
 * @why: buffer for the reason and the remedy, in one line
 */
void kallsyms_why_hidden(char *why, size_t size);

#endif /* AUXREC_KALLSYMS_H */
