# SPDX-License-Identifier: GPL-2.0-only
# file: ring/frame.c
# case: frames
# found: is shown in state
# A writer publishes all frames although other writers are still writing
s/^\t\tif ((word & PA_FRAMES_OPEN) == PA_FRAMES_ONE &&$/if (/
