# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: overwriting
# found: bytes are told to be overwritten
# Overwritten bytes are not counted
s/READ_ONCE(\*seg->mark) != PERFAUX_SEQ(from))/false)/
