# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold beside overwriting
# found: moves segment . from use
# HOLD does not check whether a writer was faster
s/cmpxchg64(&list\[i\].seg->shared->state, state,/({ WRITE_ONCE(list[i].seg->shared->state,/
s/PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_HELD) != state)/PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_HELD); false; }))/
