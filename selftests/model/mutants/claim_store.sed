# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: two writers
# found: segment . goes on under another number
# A claim that looks and then takes, in two steps
s/return cmpxchg64(&seg->shared->state, from, to) == from;/if (READ_ONCE(seg->shared->state) != from)\n\t\treturn false;\n\tWRITE_ONCE(seg->shared->state, to);\n\treturn true;/
