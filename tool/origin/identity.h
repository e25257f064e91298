/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The identity of a recording: on which machine it was made, in which boot, and the labels that
 * its user gave. perf has no record for this, so it is a record of the type EVENT_TYPE, which perf
 * wrote long ago and all its readers skip. The body is AUXREC_IDENTITY_MAGIC, without a NUL, and
 * strings KEY=VALUE, each with its NUL; then zeros up to the alignment. The keys are
 *
 *   machine-id	as in machine-id(5)
 *   boot-id	a random number of the boot, from /proc/sys/kernel/random
 *   label.KEY	a label (--label KEY=VALUE)
 *
 * Readers skip keys that they do not know. The name of the host is a FEATURE, as in perf.
 */
#ifndef AUXREC_ORIGIN_IDENTITY_H
#define AUXREC_ORIGIN_IDENTITY_H

#include "base/bytes.h"
#include "stream/read.h"

#define AUXREC_IDENTITY_MAGIC	"auxrecid"
#define AUXREC_IDENTITY_LABEL	"label."

/* Limits of labels, for writers */
#define AUXREC_LABELS_MAX	32
#define AUXREC_LABEL_KEY_MAX	63	/* bytes */
#define AUXREC_LABEL_VALUE_MAX	255

/* Is this a key of a label: letters, digits, '_', '.' and '-', and the first one a letter? */
bool label_key_is_valid(const char *key, size_t len);

/* Return whether @rec is an identity. @b: read_identity_next() takes the strings from it. */
bool read_identity(const struct read_record *rec, struct read_bytes *b);

/*
 * Take the next string. Return false at the end. If the next bytes are no KEY=VALUE, or the key of
 * a label is not valid, set @b->failed and return false. @key, which has @key_len bytes, and @value
 * point into the record.
 */
bool read_identity_next(struct read_bytes *b, const char **key, size_t *key_len,
			const char **value);

#endif /* AUXREC_ORIGIN_IDENTITY_H */
