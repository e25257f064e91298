/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write perf's file format, perf.data, from a stream.
 *
 * A stream is perf's pipe format. Programs other than perf, and some commands of perf, read only
 * the file format. The two have the same records. The file has in addition:
 *
 *	a header, which tells where everything is
 *	the events and their ids, in place of ATTR records
 *	the features, in place of FEATURE, TRACING_DATA and BUILD_ID records
 *	features that need the whole recording: names of all events, build-ids of all files, the
 *	time of the first and last sample, an index of the AUX data
 *
 * COMPRESSED records are decompressed. All other records are copied in their order, so a reader
 * shows the same for the file as for the stream. No AUX data is decoded.
 */
#ifndef AUXREC_PERFDATA_H
#define AUXREC_PERFDATA_H

#include <linux/types.h>
#include <stdbool.h>

#include "base/util.h"

struct perf_data_summary {
	__u64	bytes;		/* of the file */
	__u64	records;	/* in its data section */
	__u64	aux_bytes;
	__u32	events;
	__u32	build_ids;
	bool	cut;		/* the stream ends within a record, which the file does not have */
	__u64	cut_at;		/* offset of this record in the stream */
};

/*
 * perf_data_write() - write the file
 * @in: the stream, read once from its current offset to its end. It can be a pipe
 * @in_name: for messages
 * @out: path of the file, which is replaced when all of the new file is on disk. It must not be
 *	the stream itself, a pipe or a device, because the header is written last
 *
 * Memory follows the number of events and their ids, and the number of files that have
 * build-ids. Larger parts wait in files without a name beside @out.
 *
 * Return: 0; -EBADMSG: the stream is damaged or is no stream; -EOPNOTSUPP: it has records that
 * cannot be converted; -EINVAL: @out cannot be such a file; or -errno. @d has a message. After an
 * error, the file at @out is as it was.
 */
int perf_data_write(int in, const char *in_name, const char *out,
		    struct perf_data_summary *sum, struct diag *d);

#endif /* AUXREC_PERFDATA_H */
