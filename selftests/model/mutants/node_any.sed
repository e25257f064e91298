# SPDX-License-Identifier: GPL-2.0-only
# file: ring/free.c
# case: two nodes, each with a segment for its writer
# found: a writer takes a segment of another node
# A writer takes a FREE segment of any node
s/pa_free_pop_from(ring, pa_node_here(ring))/pa_free_pop_far(ring)/
