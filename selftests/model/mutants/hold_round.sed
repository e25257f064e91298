# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: hold of two beside a fast writer
# found: HOLD says to have all up to ., and . was overwritten
# HOLD does not look for segments that became READY meanwhile
s/if (\*seq >= hole)/if (0 \&\& *seq >= hole)/
