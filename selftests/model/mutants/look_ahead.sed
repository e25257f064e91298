# SPDX-License-Identifier: GPL-2.0-only
# file: tool/ring/look.c
# case: a reader that looks, and an NMI
# found: the reader does not find it
# A reader does not wait for a number that is not in the order table yet
s/if (PERFAUX_ORDER_SEQ(entry) < l->next)/if (PERFAUX_ORDER_SEQ(entry) < l->next \&\& l->next++)/
