// SPDX-License-Identifier: GPL-2.0-only
/*
 * Show the status line of a running recording, only on a terminal.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "record/losses.h"
#include "record/payloads.h"
#include "record/record.h"

#define FIRST_NS	(NSEC_PER_SEC)		/* short recordings need no status line */
#define EVERY_NS	(NSEC_PER_SEC / 2)

__u64 session_losses(const struct session *s)
{
	__u64 n = main_losses(&s->main) + s->raw.missing + s->bad_spans;
	size_t i;

	for (i = 0; i < ARRAY_LEN(s->gaps); i++)
		n += s->gaps[i].count;
	for (i = 0; i < ARRAY_LEN(s->payloads->stats.lost); i++)
		n += s->payloads->stats.lost[i];
	return n;
}

/* Return the terminal's width: a line that wraps could not be cleared. */
static int columns(void)
{
	struct winsize w;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || !w.ws_col)
		return 80;
	return w.ws_col;
}

/* A softpt event counts the instructions that it has stepped, those of children included. */
static __u64 instructions(const struct sev *sev)
{
	__u64 n = 0, value, lost;
	size_t i;

	for (i = 0; i < sev->nr_fds; i++)
		if (losses_read_counter(sev, &sev->fds[i], &value, &lost))
			n += value;
	return n;
}

int status_stepped(const struct session *s, char *buf, size_t size)
{
	bool any = false;
	__u64 n = 0;
	size_t i;

	for (i = 0; i < s->nr_sev; i++) {
		if (!sev_is_softpt(&s->sev[i]))
			continue;
		any = true;
		n += instructions(&s->sev[i]);
	}
	return any ? snprintf(buf, size, "  %llu instructions", (unsigned long long)n) : 0;
}

/* KiB are needed for softpt, which writes some KiB a second. */
static int put_size(char *buf, size_t size, double bytes, const char *unit)
{
	const double kib = 1024, mib = 1024 * kib;

	if (bytes < mib)
		return snprintf(buf, size, "%.1f KiB%s", bytes / kib, unit);
	return snprintf(buf, size, "%.1f MiB%s", bytes / mib, unit);
}

static void make_line(const struct session *s, __u64 now, char *buf,
		      size_t size)
{
	const __u64 since = s->line_ns ? s->line_ns : s->started;
	int n;

	n = put_size(buf, size, s->out.stored, "  ");
	n += put_size(buf + n, size - n,
		      (s->out.stored - s->line_bytes) / ((now - since) / 1e9), "/s");
	n += status_stepped(s, buf + n, size - n);
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

	if (!status_is_on(s) || now - s->started < FIRST_NS || now - s->line_ns < EVERY_NS)
		return;

	if (s->mode->line)
		s->mode->line(s, line, sizeof(line));
	else
		make_line(s, now, line, sizeof(line));
	s->line_ns = now;
	s->line_bytes = s->out.stored;
	if (say_has_line() && !strcmp(line, shown))
		return;
	memcpy(shown, line, sizeof(shown));
	/* Print the line in one call, so that output of others does not get in between. */
	fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
	say_clear_line(true);
}

void status_clear(void)
{
	say_clear_line(false);
}
