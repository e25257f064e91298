// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the options that tell where a recording comes from: -k and --label.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/origin_options.h"
#include "origin/clock_name.h"
#include "origin/identity.h"

static bool is_text(const char *s)
{
	while (*s) {
		const int n = utf8_length(s);

		if (!n || (unsigned char)*s < ' ' || *s == 0x7f)
			return false;
		s += n;
	}
	return true;
}

int option_label(struct options *opt, const char *s, struct diag *d)
{
	const size_t len = strcspn(s, "=");
	size_t i;

	if (!s[len])
		return diag(d, -EINVAL, "--label: '%.400s' is not KEY=VALUE", s);
	if (!label_key_is_valid(s, len))
		return diag(d, -EINVAL,
			    "--label: '%.400s' does not begin with a key of letters, digits, '_', '.' and '-', at most %d, the first one a letter",
			    s, AUXREC_LABEL_KEY_MAX);
	if (strlen(s + len + 1) > AUXREC_LABEL_VALUE_MAX || !is_text(s + len + 1))
		return diag(d, -EINVAL,
			    "--label: the value of %.*s must be text (UTF-8) of at most %d bytes",
			    (int)len, s, AUXREC_LABEL_VALUE_MAX);
	for (i = 0; i < opt->nr_labels; i++)
		if (!strncmp(opt->labels[i], s, len + 1))
			return diag(d, -EINVAL, "--label: there are two labels %.*s", (int)len, s);
	if (opt->nr_labels == AUXREC_LABELS_MAX)
		return diag(d, -EINVAL, "--label: a recording can have at most %d labels",
			    AUXREC_LABELS_MAX);
	if (grow((void **)&opt->labels, opt->nr_labels, sizeof(*opt->labels)))
		return diag(d, -ENOMEM, "out of memory");
	opt->labels[opt->nr_labels++] = s;
	return 0;
}

int option_clock(struct options *opt, const char *s, struct diag *d)
{
	if (clock_parse(s, &opt->clock))
		return diag(d, -EINVAL,
			    "-k: '%s' is not a clock of perf events: there are monotonic, monotonic_raw, boottime, realtime and tai",
			    s);
	opt->use_clock = true;
	return 0;
}

int option_clock_check(const struct options *opt, struct diag *d)
{
	if (!opt->use_clock)
		return 0;
	if (opt->bpf_ring)
		return diag(d, -EINVAL,
			    "-k: records of BPF programs have the time of perf's own clock: leave -k or --bpf-ring out");
	if (opt->flight.survive)
		return diag(d, -EINVAL,
			    "-k: --survive-crash tells the time of the crash by perf's own clock: leave -k out");
	if (opt->flight.on && clock_can_be_set(opt->clock))
		return diag(d, -EINVAL,
			    "-k %s: this clock can be set back, and a flight recorder would lose its history then: give -k mono, and perf script -F +tod prints the time of day",
			    clock_name(opt->clock));
	return 0;
}
