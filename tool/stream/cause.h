/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the causes (PERFAUX_CAUSE_*) for which data of the raw ring can be missing.
 */
#ifndef AUXREC_STREAM_CAUSE_H
#define AUXREC_STREAM_CAUSE_H

/* Return a name, never NULL: a cause that is newer than this program is "unknown". */
const char *gap_cause_name(unsigned int cause);

#endif /* AUXREC_STREAM_CAUSE_H */
