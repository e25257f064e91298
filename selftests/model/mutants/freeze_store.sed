# SPDX-License-Identifier: GPL-2.0-only
# file: ring/freeze.c
# case: trigger, post 1
# found: overwrites segment . and did not ask
# After a trigger, two writers that overwrite at the same time count as one
s/while (!atomic_try_cmpxchg(&ring->may_overwrite, &left, left - 1))/while (false)/
s/^\treturn true;/\tatomic_set(\&ring->may_overwrite, left - 1);\n&/
