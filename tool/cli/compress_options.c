// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and check --compress and the file name that asks for it.
 */
#include <errno.h>
#include <string.h>

#include "base/parse_size.h"
#include "cli/compress_options.h"
#include "zstd/write_frames.h"

int compress_option(struct options *opt, const char *arg, struct diag *d)
{
	const char *end;
	__u64 level;

	opt->compress = WRITE_FRAMES_LEVEL;
	if (!arg)
		return 0;
	if (parse_number(arg, &end, &level) || *end || !level || level > WRITE_FRAMES_LEVEL_MAX)
		return diag(d, -EINVAL,
			    "--compress: '%s' is not a level of zstd from 1 to %d", arg,
			    WRITE_FRAMES_LEVEL_MAX);
	opt->compress = level;
	return 0;
}

void compress_complete(struct options *opt)
{
	if (!opt->compress && ((opt->output && write_frames_name(opt->output)) ||
			       (opt->flight.name && write_frames_name(opt->flight.name))))
		opt->compress = WRITE_FRAMES_LEVEL;
	if (opt->compress && !opt->output && !opt->flight.on)
		opt->output = AUXREC_DEFAULT_FILE WRITE_FRAMES_SUFFIX;
}
