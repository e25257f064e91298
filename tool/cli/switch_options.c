// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse and check the options that let a recording have several files.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse_size.h"
#include "base/parse_time.h"
#include "cli/switch_options.h"

/* perf's units of time; "m" is a minute, while "M" is a size */
static bool perf_time(const char *word, __u64 *ns)
{
	static const struct {
		char unit;
		__u64 seconds;
	} units[] = {
		{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 },
	};
	const char *end;
	__u64 nr;
	size_t i;

	if (parse_number(word, &end, &nr) || !*end || end[1])
		return false;
	for (i = 0; i < ARRAY_LEN(units); i++) {
		if (*end != units[i].unit)
			continue;
		return !__builtin_mul_overflow(nr, units[i].seconds * NSEC_PER_SEC, ns) &&
		       *ns <= TIME_MAX_NS;
	}
	return false;
}

/* As with perf, a size must have a unit. */
static bool perf_size(const char *word, __u64 *bytes)
{
	const char *end;

	return *word && !isdigit((unsigned char)word[strlen(word) - 1]) &&
	       !parse_size(word, &end, 1, bytes) && !*end;
}

static int parse_word(struct options *opt, const char *word, struct diag *d)
{
	struct diag ignored;
	__u64 v;

	if (!strcmp(word, "signal")) {
		opt->switch_signal = true;
		return 0;
	}
	if ((perf_time(word, &v) || !parse_time("", word, &v, &ignored)) && v) {
		opt->switch_ns = v;
		return 0;
	}
	if (perf_size(word, &v) && v) {
		opt->switch_bytes = v;
		return 0;
	}
	return diag(d, -EINVAL,
		    "--switch-output: '%s' is not signal, a size such as 100M, or a time such as 30s",
		    word);
}

int switch_output(struct options *opt, const char *arg, struct diag *d)
{
	const char *at = arg ?: "signal";
	char word[64];

	opt->switching = true;
	for (;;) {
		const size_t n = strcspn(at, ",");
		int err;

		/* A word that is cut here cannot be valid: valid words have at most 25 letters. */
		snprintf(word, sizeof(word), "%.*s", (int)n, at);
		err = parse_word(opt, word, d);
		if (err || !at[n])
			return err;
		at += n + 1;
	}
}

int switch_max_files(struct options *opt, const char *arg, struct diag *d)
{
	const char *end;

	if (parse_number(arg, &end, &opt->switch_files) || *end || !opt->switch_files)
		return diag(d, -EINVAL,
			    "--switch-max-files: '%s' is not a number of files from 1 on", arg);
	return 0;
}

int switch_check(const struct options *opt, struct diag *d)
{
	if (opt->switch_files && !opt->switching)
		return diag(d, -EINVAL,
			    "--switch-max-files needs --switch-output: give that too, e.g. --switch-output=100M");
	if (!opt->switching)
		return 0;
	if (opt->flight.on)
		return diag(d, -EINVAL,
			    "--switch-output: a flight recorder writes each snapshot to a file of its own: give --trigger, and --keep N to limit them");
	if (!strcmp(opt->output ?: "", "-"))
		return diag(d, -EINVAL,
			    "--switch-output: stdout cannot be switched: give -o FILE");
	return 0;
}
