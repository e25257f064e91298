# SPDX-License-Identifier: GPL-2.0-only
# file: ring/frame.c
# case: frames that are abandoned
# found: bytes were written
# Frames are given up without waiting for who is reserving
/For who has just reserved a frame/,/synchronize_rcu/d
