// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status line of a running recording, on a terminal only.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "flight.h"

#define FIRST_NS	(NSEC_PER_SEC)		/* short ones need none */
#define EVERY_NS	(NSEC_PER_SEC / 2)

static __u64 last_ns, last_bytes;

__u64 session_losses(const struct session *s)
{
	__u64 n = main_losses(&s->main) + s->raw.missing + s->bad_spans;
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->gaps); i++)
		n += s->gaps[i].count;
	for (i = 0; i < ARRAY_LEN(s->payloads.stats.lost); i++)
		n += s->payloads.stats.lost[i];
	return n;
}

/* A line that wraps could not be cleared again. */
static int columns(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col)
		return 80;
	return w.ws_col;
}

static void make_line(const struct session *s, __u64 now, char *buf,
		      size_t size)
{
	const __u64 since = last_ns ? last_ns : s->started;
	const double mib = 1048576.0;
	int n;

	n = snprintf(buf, size, "%.1f MiB  %.1f MiB/s", s->out.bytes / mib,
		     (s->out.bytes - last_bytes) / mib / ((now - since) / 1e9));
	if (s->have_raw)
		n += snprintf(buf + n, size - n, "  raw ring %u of %u free",
			      rawring_free_segments(&s->raw),
			      s->raw.ctl->nr_segments);
	snprintf(buf + n, size - n, "  losses %llu",
		 (unsigned long long)session_losses(s));
}

bool status_is_on(const struct session *s)
{
	const bool json = s->opt->json && !s->opt->json_file;
	static int terminal = -1;

	if (s->opt->quiet || json)
		return false;
	if (terminal < 0)
		terminal = isatty(STDERR_FILENO);
	return terminal;
}

void status_show(struct session *s)
{
	const __u64 now = now_ns();
	static char shown[256];
	char line[256];

	if (!status_is_on(s) || now - s->started < FIRST_NS || now - last_ns < EVERY_NS)
		return;

	if (s->flight)
		flight_line(s, line, sizeof(line));
	else
		make_line(s, now, line, sizeof(line));
	last_ns = now;
	last_bytes = s->out.bytes;
	if (say_has_line() && !strcmp(line, shown))
		return;
	memcpy(shown, line, sizeof(shown));
	/* At once: what others write must not get between. */
	fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
	say_clear_line(true);
}

void status_clear(void)
{
	say_clear_line(false);
}
