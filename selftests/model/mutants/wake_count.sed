# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: a reader that waits for two segments
# found: the reader sleeps, and . segments are READY
# A reader counts the READY segments before it reads the counter
/^bool pa_segments_enough/,/^}/ {
	s/u64 published = .*/unsigned int n = pa_segments_ready(ring);/
	s/unsigned int n;/u64 published = atomic64_read_acquire(\&ring->published);/
	/n = pa_segments_ready(ring);$/ {
		/unsigned/!d
	}
}
