# SPDX-License-Identifier: GPL-2.0-only
# file: ring/segment.c
# case: a reader that waits for three, and a writer that starves
# found: the reader sleeps, and . segments are READY
# While a writer starves, a segment that is published does not wake the reader
/^void pa_segment_published/,/^}/ {
	s/wake_at) ||/wake_at))/
	/PERFAUX_CTL_STARVED)/d
}
