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
void synth_machine_id(char id[SYNTH_ID_SIZE])
{
	if (slurp_line("/etc/machine-id", id, SYNTH_ID_SIZE))
		*id = '\0';
}

void synth_boot_id(char id[SYNTH_ID_SIZE])
{
	if (slurp_line("/proc/sys/kernel/random/boot_id", id, SYNTH_ID_SIZE))
		*id = '\0';
}

int synth_identity(struct session *s)
{
	char id[SYNTH_ID_SIZE];
	size_t i;

	build_begin(&s->out, REC_EVENT_TYPE, 0);
	build_add(&s->out, AUXREC_IDENTITY_MAGIC, sizeof(AUXREC_IDENTITY_MAGIC) - 1);
	synth_machine_id(id);
	if (*id)
		add(s, "machine-id=", id);
	synth_boot_id(id);
	if (*id)
		add(s, "boot-id=", id);
	for (i = 0; i < s->opt->nr_labels; i++)
		add(s, AUXREC_IDENTITY_LABEL, s->opt->labels[i]);
	return build_end(&s->out);
}
