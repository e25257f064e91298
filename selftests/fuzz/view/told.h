/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A time line that checks the rules for sources, and passes everything on.
 */
#ifndef SELFTESTS_FUZZ_TOLD_H
#define SELFTESTS_FUZZ_TOLD_H

#include "view/timeline/timeline.h"

/* Return a time line that tells @next what it is told, or NULL. It frees @next, too. */
struct timeline *told_new(struct timeline *next);

#endif /* SELFTESTS_FUZZ_TOLD_H */
