# SPDX-License-Identifier: GPL-2.0-only
# file: ring/frame.c
# case: frames that are abandoned
# found: bytes were written
# Frames are given up without waiting for writers that are reserving
/Wait for writers that have just reserved/,/synchronize_rcu/d
