# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside a writer and its NMI
# found: HOLD has ended, and wants
# HOLD wants the same when it has ended
/WRITE_ONCE(ring->wanted_seq, 0);/d
