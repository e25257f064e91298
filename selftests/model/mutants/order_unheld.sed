# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: hold after unhold
# found: overwrites segment ., and . is older
# Writers do not look again at a segment that UNHOLD has given back
/^void pa_order_ready/,/^}/ s/pa_order_back(ring, n);/;/
