// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parse the value of --trigger pressure=. The limits are those of the kernel's
 * Documentation/accounting/psi.rst.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse_time.h"
#include "trigger/pressure.h"

#define WINDOW_MIN_US	500000U
#define WINDOW_MAX_US	10000000U

static const char * const resources[] = { "cpu", "memory", "io" };

/* Return whether the @len bytes at @s are @word. */
static bool is_word(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(s, word, len);
}

/* Parse "RESOURCE[:some|full]", the @len bytes at @s. */
static int parse_resource(const char *s, size_t len, struct pressure *p, struct diag *d)
{
	const char *colon = memchr(s, ':', len);
	const size_t word = colon ? (size_t)(colon - s) : len;
	size_t i;

	p->resource = NULL;
	for (i = 0; i < ARRAY_LEN(resources); i++)
		if (is_word(s, word, resources[i]))
			p->resource = resources[i];
	if (!p->resource)
		return diag(d, -EINVAL, "there is no pressure of '%.*s': there are cpu, memory and io",
			    word > 64 ? 64 : (int)word, s);
	p->full = false;
	if (!colon)
		return 0;
	len -= word + 1;
	p->full = is_word(colon + 1, len, "full");
	if (!p->full && !is_word(colon + 1, len, "some"))
		return diag(d, -EINVAL, "'%.*s' is not some or full: some tasks wait, or all at the same time",
			    len > 64 ? 64 : (int)len, colon + 1);
	/* The kernel accepts it, but for the whole system its time is always 0, see psi_show(). */
	if (p->full && !strcmp(p->resource, "cpu"))
		return diag(d, -EINVAL, "cpu:full never comes: tasks that wait for a CPU wait for one that runs; give cpu:some");
	return 0;
}

/* Parse the @len bytes at @s, a time in whole microseconds. */
static int parse_us(const char *what, const char *s, size_t len, __u32 *us, struct diag *d)
{
	char text[64];
	__u64 ns;
	int err;

	snprintf(text, sizeof(text), "%.*s", len > 63 ? 63 : (int)len, s);
	err = parse_time(what, text, &ns, d);
	if (err)
		return -EINVAL;
	if (ns % 1000)
		return diag(d, -EINVAL, "%s: %s is not a number of whole microseconds", what, text);
	/* A time above the longest window is refused later, so clamp it to fit into 32 bits. */
	*us = ns / 1000 > WINDOW_MAX_US ? WINDOW_MAX_US + 1 : ns / 1000;
	return 0;
}

int pressure_parse(const char *s, struct pressure *p, struct diag *d)
{
	const size_t len = strcspn(s, "/");
	const char *time = s + len + 1, *window;
	int err;

	err = parse_resource(s, len, p, d);
	if (err)
		return err;
	window = s[len] ? strchr(time, '/') : NULL;
	if (!window)
		return diag(d, -EINVAL, "a time or its window is missing: give " PRESSURE_FORM
			    ", e.g. " PRESSURE_EXAMPLE);
	err = parse_us("TIME", time, window - time, &p->threshold_us, d);
	window++;
	if (!err)
		err = parse_us("WINDOW", window, strlen(window), &p->window_us, d);
	if (err)
		return err;
	if (p->window_us < WINDOW_MIN_US || p->window_us > WINDOW_MAX_US)
		return diag(d, -EINVAL, "the window %.64s is not from 500ms to 10s", window);
	if (!p->threshold_us)
		return diag(d, -EINVAL, "the time is 0: give the time that tasks must wait in %.64s",
			    window);
	if (p->threshold_us > p->window_us)
		return diag(d, -EINVAL, "tasks cannot wait for %.*s in %.64s: give a time up to the window",
			    window - time > 64 ? 64 : (int)(window - time - 1), time, window);
	return 0;
}
