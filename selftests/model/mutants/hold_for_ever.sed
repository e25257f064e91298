# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside a writer and its NMI
# found: HOLD has ended, and wants
# After it has ended, HOLD still wants segments
/WRITE_ONCE(ring->wanted_seq, 0);/d
