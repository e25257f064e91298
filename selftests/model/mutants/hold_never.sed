# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: hold of all beside a writer and its NMI
# found: which HOLD wants
# A writer publishes a segment that HOLD wants as READY, and overwrites it
/^bool pa_hold_takes/,/^}/ s/return pa_hold_wants(ring, seq) &&/return false \&\& pa_hold_wants(ring, seq) \&\&/
