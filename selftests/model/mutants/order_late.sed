# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: unhold after the others were overwritten
# found: overwrites segment ., and . is older
# UNHOLD does not look whether the entry of the segment was replaced
/^void pa_order_ready/,/^}/ s/pa_late_add(seg);/;/
