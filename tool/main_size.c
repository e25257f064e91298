// SPDX-License-Identifier: GPL-2.0-only
/*
 * How large main rings are if nobody says, and which recordings need little.
 */
#include "session.h"

bool session_only_aux(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].ev && !s->sev[i].aux)
			return false;
	return session_per_task(s) && !s->opt->bpf_ring;
}

bool session_only_user_aux(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nr_sev; i++)
		if (s->sev[i].ev && !s->sev[i].attr.exclude_kernel)
			return false;
	return session_only_aux(s);
}

size_t session_main_bytes(const struct session *s)
{
	if (s->opt->main_bytes)
		return s->opt->main_bytes;
	return session_only_aux(s) ? AUXREC_MAIN_SMALL : AUXREC_MAIN_DEFAULT;
}
