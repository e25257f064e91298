# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: no segment, and a writer that leaves room
# found: is IDLE, and the starving writer was not told
# A writer checks STARVED before its segment is IDLE
/^void pa_segment_put/,/^}/ {
	s/smp_store_release(&shared->state, pa_state(seq, PERFAUX_SEG_IDLE));/const bool starved = READ_ONCE(ctl->flags) \& PERFAUX_CTL_STARVED;\n\n\t&/
	s/if (READ_ONCE(ctl->flags) & PERFAUX_CTL_STARVED)/if (starved)/
}
