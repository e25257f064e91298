# SPDX-License-Identifier: GPL-2.0-only
# file: ring/free.c
# case: two nodes, each with a segment for its writer
# found: a writer takes a segment of another node
# A segment becomes FREE on the stack of the first node
s/ring->free\[pa_node_of(seg)\]/ring->free[0]/
