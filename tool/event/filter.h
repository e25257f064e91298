/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address filters: which code a processor trace is of.
 */
#ifndef AUXREC_FILTER_H
#define AUXREC_FILTER_H

#include "base/util.h"

/*
 * filter_addresses() - what perf record takes as --filter, as the kernel wants it
 * @text: ACTION START [/ END] [@ FILE], and more, separated by blanks or commas
 * @kernel: set to a string to be freed: ACTION 0xSTART[/0xSIZE][@/FILE],...
 *
 * ACTION is filter, start, stop or tracestop. START and END are a symbol of the
 * FILE, with #N if it has several, or START an offset in it and END a size. "*"
 * is all of a file. Without FILE they are addresses of the kernel.
 *
 * Return: 0, -errno with a message.
 */
int filter_addresses(const char *text, char **kernel, struct diag *d);

#endif /* AUXREC_FILTER_H */
