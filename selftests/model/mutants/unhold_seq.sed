# SPDX-License-Identifier: GPL-2.0-only
# file: ring/hold.c
# case: unhold of another use
# found: gives segment . back that was not meant
# UNHOLD releases any use of the segment
s/PERFAUX_SEQ(state) == seq && pa_segment_unhold/pa_segment_unhold/
