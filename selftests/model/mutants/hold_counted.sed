# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside two writers
# found: which HOLD wants
# HOLD has room only for segments that it sees
s/if (max < ring->ctl->nr_segments)$/if (true)/
s/max < ring->ctl->nr_segments ?$/true ?/
