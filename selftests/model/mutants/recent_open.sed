# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: hold of two beside a fast writer
# found: HOLD of . says that it took ., and took
# HOLD looks at open segments only, not at those that became READY meanwhile
s/while (recent->n < recent->last) {/while (false) {/
