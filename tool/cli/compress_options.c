// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and check --compress, the file name that asks for it, and -z.
 */
#include <errno.h>
#include <string.h>

#include "base/parse_size.h"
#include "cli/compress_options.h"
#include "stream/pack.h"
#include "zstd/write_frames.h"

/* @option: its name for messages; @max: the highest level */
static int parse_level(int *level, const char *option, const char *arg, __u64 max,
		       struct diag *d)
{
	const char *end;
	__u64 n;

	if (parse_number(arg, &end, &n) || *end || !n || n > max)
		return diag(d, -EINVAL, "%s: '%s' is not a level of zstd from 1 to %llu", option,
			    arg, (unsigned long long)max);
	*level = n;
	return 0;
}

int compress_option(struct options *opt, const char *arg, struct diag *d)
{
	opt->compress = WRITE_FRAMES_LEVEL;
	return arg ? parse_level(&opt->compress, "--compress", arg, WRITE_FRAMES_LEVEL_MAX, d) : 0;
}

int pack_option(struct options *opt, const char *arg, struct diag *d)
{
	opt->pack = PACK_LEVEL;
	return arg ? parse_level(&opt->pack, "-z", arg, PACK_LEVEL_MAX, d) : 0;
}

void compress_complete(struct options *opt)
{
	if (!opt->compress && ((opt->output && write_frames_name(opt->output)) ||
			       (opt->flight.name && write_frames_name(opt->flight.name))))
		opt->compress = WRITE_FRAMES_LEVEL;
	if (opt->compress && !opt->output && !opt->flight.on)
		opt->output = AUXREC_DEFAULT_FILE WRITE_FRAMES_SUFFIX;
}

int compress_check(const struct options *opt, struct diag *d)
{
	if (!opt->pack)
		return 0;
	if (opt->flight.on)
		return diag(d, -EINVAL,
			    "-z compresses records of a recording: give --compress[=LEVEL] for snapshots");
	if (opt->compress)
		return diag(d, -EINVAL,
			    "-z compresses records, --compress and FILE.zst the whole stream, AUX data too: leave one out");
	return 0;
}
