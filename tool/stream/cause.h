/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why data of the raw ring are missing: the names of the causes (PERFAUX_CAUSE_*).
 */
#ifndef AUXREC_STREAM_CAUSE_H
#define AUXREC_STREAM_CAUSE_H

/* Never NULL: a cause that is newer than this program is "unknown". */
const char *gap_cause_name(unsigned int cause);

#endif /* AUXREC_STREAM_CAUSE_H */
