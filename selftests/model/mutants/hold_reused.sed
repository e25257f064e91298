# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: hold of all beside a writer and its NMI
# found: after HOLD, with older data
# A writer continues in a segment that HOLD wants
s/if (pa_hold_wants(seg->ring, seq)) {/if (false) {/
