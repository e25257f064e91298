# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold after unhold
# found: holds segment . behind a hole
# HOLD takes segments that are older than a hole
s/if (old.ready_seq < atomic64_read(&ring->overwritten_seq))/if (false)/
s/pa_walk_next(ring, &walk, atomic64_read(&ring->overwritten_seq), &old)/pa_walk_next(ring, \&walk, 0, \&old)/
