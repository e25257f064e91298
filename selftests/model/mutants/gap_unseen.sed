# SPDX-License-Identifier: GPL-2.0-only
# file: ring/gap.c
# case: a thread moves while an NMI looks for gaps
# found: of a thread are not in order of time
# A context that looks for gaps says that there is none before it has looked
s/put = atomic_read(&ring->gaps_put);/&\n\tWRITE_ONCE(ring->gaps_gone, put);/
