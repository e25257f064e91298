/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write the data of the raw ring to the stream. All functions return 0 or -errno of the stream.
 */
#ifndef AUXREC_AUXDATA_H
#define AUXREC_AUXDATA_H

#include "ring/rawring.h"

struct session;

/* Write all spans and gaps that have ended, in order. @last: a missing number will not come. */
int auxdata_pass(struct session *s, bool last);
/* At the end: report losses that the control page counts but no gap describes. */
int auxdata_summary(struct session *s);

/* Begin another stream: forget the offsets of the stream before it. */
void auxdata_begin_stream(struct session *s);

/* Write one span or gap. */
int auxdata_span(struct session *s, const struct raw_item *item);
int auxdata_gap(struct session *s, const struct perfaux_gap *gap);

#endif /* AUXREC_AUXDATA_H */
