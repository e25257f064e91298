# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of all beside a frame
# found: HOLD of . says that it took ., and took
# HOLD does not wait for who ends a frame, and is counted
s/^\t\tsynchronize_rcu();$/\t\tsmp_mb();/
