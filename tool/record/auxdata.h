/* SPDX-License-Identifier: GPL-2.0-only */
/* Raw ring to stream. All return 0 or -errno of the stream. */
#ifndef AUXREC_AUXDATA_H
#define AUXREC_AUXDATA_H

#include "ring/rawring.h"

struct session;

/* What there is, in order; @last: what is missing will not come any more. */
int auxdata_pass(struct session *s, bool last);
/* At the end: losses that the control page counts and no gap told. */
int auxdata_summary(struct session *s);

int auxdata_span(struct session *s, const struct raw_item *item);
int auxdata_gap(struct session *s, const struct perfaux_gap *gap);

#endif /* AUXREC_AUXDATA_H */
