# SPDX-License-Identifier: GPL-2.0-only
# file: ring/order.c
# case: overwriting, and an NMI that comes round the table
# found: a writer finds no segment
# A writer that others have overtaken during its search does not search again
s/\*newer = .*;/*newer = false;/
