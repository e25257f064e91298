# SPDX-License-Identifier: GPL-2.0-only
# file: ring/frame.c
# case: hold of all beside a frame
# found: HOLD of . says that it took ., and took
# A writer that ends a frame is preempted after HOLD has counted the segment
/^void pa_frame_end/,/^}/{/preempt_.*able_notrace/d}
/^bool pa_frames_close/,/^}/{/preempt_.*able_notrace/d}
