# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: a reader who keeps the oldest, and hold
# found: overwrites segment ., and . is older
# A writer forgets a late segment that became READY meanwhile
/^static bool pa_late_look/,/^}/ s/if (pa_late_remove(seg) && pa_is_ready(seg, 0, &late))/if (pa_late_remove(seg) \&\& false)/
