/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All steps of tool/snapfile/keep.h in one call, for tests. A recorder takes the steps one by
 * one, because it has rings to read meanwhile (tool/flight/remove.c).
 */
#ifndef KEEP_NOW_H
#define KEEP_NOW_H

#include "snapfile/keep.h"

/* Everything that tell(), a keep_told, was told: "path why;" or "path why: error;" for each call */
extern char told[4096];
void tell(void *ctx, const char *path, const char *why, int err);

/*
 * Decide which snapshots must go. @committed: path of the snapshot that was just written; NULL:
 * none was. Return 0 with a @p for keep_remove() and keep_removed(), or -errno with a message.
 */
int keep_now_plan(struct keep *k, const char *committed, struct keep_plan *p, struct diag *d);

/*
 * Remove these snapshots and tell tell(). Return how many were removed, or -errno with a
 * message.
 */
int keep_now(struct keep *k, const char *committed, struct diag *d);

#endif /* KEEP_NOW_H */
