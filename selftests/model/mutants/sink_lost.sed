# SPDX-License-Identifier: GPL-2.0-only
# file: ring/sink.c
# case: no segment, no sink taken, an NMI
# found: sink . has 0 owners
# A sink that an NMI made needless is not free again
/An NMI was faster/,/set_bit/s/set_bit.*;//
