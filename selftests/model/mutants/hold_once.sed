# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside a writer and its NMI
# found: which says to have all up to
# HOLD makes no second round for spans that began and ended meanwhile
s/if (held < max && pa_spans_are_left/if (false \&\& pa_spans_are_left/
