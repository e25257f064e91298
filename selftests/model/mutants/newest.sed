# SPDX-License-Identifier: GPL-2.0-only
# file: ring/reuse.c
# case: overwriting
# found: overwrites segment ., and . is older
# A writer overwrites the newest segment
s/oldest->old\[i - 1\].seq > new->seq/oldest->old[i - 1].seq < new->seq/
