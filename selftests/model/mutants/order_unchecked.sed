# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: hold after unhold
# found: overwrites segment ., and . is older
# A writer passes an entry, and does not look whether its segment is READY again
/^static bool pa_order_pass/,/^}/ s/if (seg && pa_is_ready(seg, n, &old))/if (false)/
