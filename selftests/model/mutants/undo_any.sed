# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all without an answer
# found: gives segment . back that was not meant
# HOLD gives back what an earlier HOLD took
s/if (READ_ONCE(ring->seg\[i\].held_by) == hold)/if (hold)/
