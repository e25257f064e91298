# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: hold of all, again and again, beside unhold
# found: is still READY
# HOLD does not look again at a segment that was being published
/^static bool pa_walk_look/,/^}/ s/PERFAUX_STATE(state) == PERFAUX_SEG_HELD ||/PERFAUX_STATE(state) != PERFAUX_SEG_READY ||/
