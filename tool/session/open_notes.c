// SPDX-License-Identifier: GPL-2.0-only
/*
 * Report what a recording lacks because its user has no right to it and did not ask for it
 * by name. One line tells all of that, and what to do. Another line warns that softpt is slow.
 */
#include <stdio.h>

#include "session/session.h"

/*
 * For each stepped instruction, the kernel executes about this many, see "How fast it is" in
 * Documentation/softpt.rst.
 */
#define SOFTPT_SLOWER	1000

/* softpt traces user space only, whatever the event asks for. */
static bool records_kernel(const struct sev *sev)
{
	return sev->ev && !sev->attr.exclude_kernel && !sev_is_softpt(sev);
}

bool session_records_kernel(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (records_kernel(&s->sev[i]))
			return true;
	return false;
}

/* Return the first event for which @what is true, or NULL. */
static const struct sev *first(const struct session *s, bool (*what)(const struct sev *sev))
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].ev && what(&s->sev[i]))
			return &s->sev[i];
	return NULL;
}

static bool is_dropped(const struct sev *sev)
{
	return sev->kernel_dropped;
}

static bool is_stepped(const struct sev *sev)
{
	return !sev->attr.exclude_kernel && sev_is_softpt(sev);
}

/* Print the raw ring's size in the form that -m takes. */
static void raw_size(const struct session *s, char text[32])
{
	snprintf(text, 32, "%uKx%u", s->raw.ctl->segment_size >> 10, s->raw.ctl->nr_segments);
}

static void say_raw(const struct session *s, const char *event)
{
	const unsigned int kib = (s->raw.ctl->segment_size >> 10) * s->raw.ctl->nr_segments;
	char size[32];

	raw_size(s, size);
	if (event)
		say("%s: no right to record the kernel, so only user space is recorded, with a raw ring of %u KiB (%s): the locked memory limit (ulimit -l) allows no larger one. Record as root, or give :u and -m ,%s",
		    event, kib, size, size);
	else
		say("raw ring of %u KiB (%s): the locked memory limit (ulimit -l) allows no larger one: raise it, or give -m ,%s",
		    kib, size, size);
}

void open_notes(const struct session *s)
{
	const struct sev *dropped = first(s, is_dropped), *stepped = first(s, is_stepped);
	const struct sev *slow = first(s, sev_is_softpt);

	if (s->opt->quiet)
		return;
	/* Do not mix this message with JSON on stderr. */
	if (slow && (!s->opt->json || s->opt->json_file))
		say("%s: softpt steps each instruction: programs run about %d times slower",
		    slow->name, SOFTPT_SLOWER);
	if (s->raw_less)
		say_raw(s, dropped ? dropped->name : NULL);
	else if (dropped)
		say("%s: no right to record the kernel, so only user space is recorded: record as root, or give :u or --user",
		    dropped->name);
	else if (stepped)
		say("%s: intel_pt is softpt here, which traces user space only: give :u",
		    stepped->name);
}
