/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address filters, which select the code that a processor trace covers.
 */
#ifndef AUXREC_FILTER_H
#define AUXREC_FILTER_H

#include "base/util.h"

/*
 * filter_addresses() - translate the --filter of perf record for the kernel
 * @text: ACTION START [/ END] [@ FILE], and more filters, separated by blanks or commas
 * @kernel: set to a string that the caller must free:
 *	    ACTION 0xSTART[/0xSIZE][@/FILE],...
 *
 * ACTION is filter, start, stop or tracestop. START is a symbol of FILE, with #N if
 * FILE has several of this name, or an offset in FILE. END is a symbol or a size.
 * "*" means all of a file. Without FILE, START is an address in the kernel.
 *
 * Return: 0, or -errno with a message.
 */
int filter_addresses(const char *text, char **kernel, struct diag *d);

#endif /* AUXREC_FILTER_H */
