// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and check --compress and the file name that asks for it.
 */
#include <errno.h>
#include <string.h>

#include "base/parse_size.h"
#include "cli/compress_options.h"
#include "zstd/write_frames.h"

#define LEVEL_DEFAULT	1
#define SUFFIX		".zst"

int compress_option(struct options *opt, const char *arg, struct diag *d)
{
	const char *end;
	__u64 level;

	opt->compress = LEVEL_DEFAULT;
	if (!arg)
		return 0;
	if (parse_number(arg, &end, &level) || *end || !level || level > WRITE_FRAMES_LEVEL_MAX)
		return diag(d, -EINVAL,
			    "--compress: '%s' is not a level of zstd from 1 to %d", arg,
			    WRITE_FRAMES_LEVEL_MAX);
	opt->compress = level;
	return 0;
}

static bool has_suffix(const char *name)
{
	const size_t len = strlen(name);

	return len > strlen(SUFFIX) && !strcmp(name + len - strlen(SUFFIX), SUFFIX);
}

void compress_complete(struct options *opt)
{
	if (!opt->compress && opt->output && has_suffix(opt->output))
		opt->compress = LEVEL_DEFAULT;
	if (opt->compress && !opt->output && !opt->flight.on)
		opt->output = AUXREC_DEFAULT_FILE SUFFIX;
}
