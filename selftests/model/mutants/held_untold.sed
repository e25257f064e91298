# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: unhold of all beside unhold and hold
# found: stays HELD after
# HOLD does not note which READY segments it takes
/^\tpa_held_add(old->seg);$/d
