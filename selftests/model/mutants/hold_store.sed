# SPDX-License-Identifier: GPL-2.0-only
# file: hold.c
# case: hold beside overwriting
# found: moves segment . from use
# HOLD does not look whether a writer was faster
s/held += cmpxchg64(&list\[i\].seg->shared->state, state,/held++, WRITE_ONCE(list[i].seg->shared->state,/
/PERFAUX_SEQ(state) << 8 | PERFAUX_SEG_HELD) ==/ { N; s/ ==\n.*state;/;/ }
