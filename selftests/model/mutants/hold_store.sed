# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold beside overwriting
# found: moves segment . from use
# HOLD does not check whether a writer was faster
s/if (cmpxchg64(&seg->shared->state, old.state, seq << 8 | PERFAUX_SEG_HELD) ==/WRITE_ONCE(seg->shared->state, seq << 8 | PERFAUX_SEG_HELD);\n\t\tif (old.state ==/
