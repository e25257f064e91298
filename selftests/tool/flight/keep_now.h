/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tool/snapfile/keep.h at once: the steps that a recorder takes one by one, as it has rings to read
 * (tool/flight/remove.c).
 */
#ifndef KEEP_NOW_H
#define KEEP_NOW_H

#include "snapfile/keep.h"

/* What tell(), a keep_told, was told: "path why;" or "path why: error;" of each */
extern char told[4096];
void tell(void *ctx, const char *path, const char *why, int err);

/*
 * What is to go. @committed: path of the one that was just written; NULL: none was. Returns 0,
 * then @p is for keep_remove() and keep_removed(), or -errno with a message.
 */
int keep_now_plan(struct keep *k, const char *committed, struct keep_plan *p, struct diag *d);

/* That goes, and tell() is told. Returns how many were removed or -errno with a message. */
int keep_now(struct keep *k, const char *committed, struct diag *d);

#endif /* KEEP_NOW_H */
