# SPDX-License-Identifier: GPL-2.0-only
# file: segment.c
# case: hold of all beside a frame
# found: HOLD of . says that it took ., and took
# Who ends a frame is preempted when HOLD has counted it
/preempt_.*able_notrace/d
