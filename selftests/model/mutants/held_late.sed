# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: hold of all without an answer
# found: stays HELD after
# A writer does not note that HOLD takes its segment
/^\t\tpa_held_add(seg);$/d
