# SPDX-License-Identifier: GPL-2.0-only
# file: ring/freeze.c
# case: a trigger in an NMI of each CPU, post 1
# found: segments may be overwritten after 0
# Two triggers at the same time both set how many segments can be overwritten
s/if (atomic_cmpxchg(&ring->may_overwrite, PA_THAWED, attached->post) !=/if (atomic_read(\&ring->may_overwrite) !=/
s/^\tWRITE_ONCE(ctl->frozen_time, now);/\tatomic_set(\&ring->may_overwrite, attached->post);\n&/
