# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: overwriting
# found: overwrites segment ., and . is older
# A writer looks from the second entry on
s/u64 n = pa_order_first(ring, \(.*\));/u64 n = pa_order_first(ring, \1) + 1;/
