# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: a reader who keeps the oldest, and hold
# found: overwrites segment ., and . is older
# The entry of a READY segment is replaced, and nobody finds that segment
/^void pa_order_add/,/^}/ s/pa_late_add(old.seg);/;/
