# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold beside overwriting
# found: moves segment . from use
# HOLD does not check whether a writer was faster
s/if (cmpxchg64(&old->seg->shared->state, old->state, held) != old->state)/WRITE_ONCE(old->seg->shared->state, held);\n\tif (false)/
