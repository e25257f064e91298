# SPDX-License-Identifier: GPL-2.0-only
# file: segment.c
# case: overwriting
# found: overwrites segment ., and . is older
# The newest one is overwritten
s/seq < oldest_seq \&\&/(!oldest || seq > oldest_seq) \&\&/
