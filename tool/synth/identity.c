// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tell where a recording comes from, see origin/identity.h.
 */
#include <stdio.h>
#include <string.h>

#include "stream/build.h"
#include "origin/identity.h"
#include "synth/synth.h"

static void add(struct session *s, const char *prefix, const char *text)
{
	build_add(&s->out, prefix, strlen(prefix));
	build_add(&s->out, text, strlen(text) + 1);
}

/* A machine that was not set up yet, or a container, may have no id. */
static void add_line(struct session *s, const char *prefix, const char *path)
{
	char line[64];

	if (!slurp_line(path, line, sizeof(line)) && *line)
		add(s, prefix, line);
}

int synth_identity(struct session *s)
{
	size_t i;

	build_begin(&s->out, REC_EVENT_TYPE, 0);
	build_add(&s->out, AUXREC_IDENTITY_MAGIC, sizeof(AUXREC_IDENTITY_MAGIC) - 1);
	add_line(s, "machine-id=", "/etc/machine-id");
	add_line(s, "boot-id=", "/proc/sys/kernel/random/boot_id");
	for (i = 0; i < s->opt->nr_labels; i++)
		add(s, AUXREC_IDENTITY_LABEL, s->opt->labels[i]);
	return build_end(&s->out);
}
