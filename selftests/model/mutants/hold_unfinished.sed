# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside a frame
# found: HOLD of . says that it took ., and took
# HOLD does not wait for a writer that ends a frame and counts the segment
s/^\t\tsynchronize_rcu();$/\t\tsmp_mb();/
