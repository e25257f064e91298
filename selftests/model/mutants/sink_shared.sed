# SPDX-License-Identifier: GPL-2.0-only
# file: ring/sink.c
# case: no segment, no sink taken, an NMI
# found: sink . has [02] owners
# A CPU takes a sink without looking whether another one has just taken it
s/if (!test_and_clear_bit(i, ring->free_sinks))/clear_bit(i, ring->free_sinks); if (0)/
