# SPDX-License-Identifier: GPL-2.0-only
# file: event/output.c
# case: two writers
# found: span . of segment . has number
# A span is published before it is complete
/Pairs with the reader's load-acquire: span and data/d
/smp_store_release(&shared->nr_spans, shared->nr_spans + 1);/d
s/span->t_begin = seg->t_begin;/smp_store_release(\&shared->nr_spans, shared->nr_spans + 1);\n\t&/
