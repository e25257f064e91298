// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status line of a running recording, on a terminal only.
 */
#include <stdio.h>
#include <unistd.h>

#include "session.h"

#define FIRST_NS	(NSEC_PER_SEC)		/* short ones need none */
#define EVERY_NS	(NSEC_PER_SEC / 2)

static __u64 last_ns, last_bytes;
static bool shown;

__u64 session_losses(const struct session *s)
{
	__u64 n = s->main.lost + s->main.lost_samples + s->raw.missing +
		  s->bad_spans;
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->gaps); i++)
		n += s->gaps[i].count;
	return n;
}

void status_show(struct session *s)
{
	const __u64 now = now_ns();
	double mib, rate;

	if (s->opt->quiet || s->opt->json || !isatty(STDERR_FILENO) ||
	    now - s->started < FIRST_NS || now - last_ns < EVERY_NS)
		return;

	mib = s->out.bytes / 1048576.0;
	rate = last_ns ? (s->out.bytes - last_bytes) / 1048576.0 /
			 ((now - last_ns) / 1e9) : 0;
	fprintf(stderr, "\r\033[K%.1f MiB  %.1f MiB/s", mib, rate);
	if (s->have_raw)
		fprintf(stderr, "  raw ring %u of %u free",
			rawring_free_segments(&s->raw), s->raw.ctl->nr_segments);
	fprintf(stderr, "  losses %llu",
		(unsigned long long)session_losses(s));
	fflush(stderr);
	last_ns = now;
	last_bytes = s->out.bytes;
	shown = true;
	say_clear_line(true);
}

void status_clear(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
	say_clear_line(false);
}
