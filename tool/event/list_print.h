/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Printing for `auxrec list`: text for people, or JSON.
 */
#ifndef AUXREC_EVENT_LIST_H
#define AUXREC_EVENT_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "pmu/pmu.h"

struct list_out {
	FILE *file;
	bool is_json;
	size_t nr;		/* entries so far */
	struct json json;
};

void list_begin(struct list_out *out);
void list_end(struct list_out *out);

/* Print an event. @alias is another name of the event, or NULL. */
void list_event(struct list_out *out, const char *kind, const char *name,
		const char *alias);
/* Print a loaded PMU with its terms. */
void list_pmu(struct list_out *out, const struct pmu *pmu, enum pmu_aux aux);
/* Print an event of events/. @name is "PMU/ALIAS/". */
void list_alias(struct list_out *out, const struct pmu *pmu, const char *name,
		const struct pmu_alias *alias);

#endif /* AUXREC_EVENT_LIST_H */
