# SPDX-License-Identifier: GPL-2.0-only
# file: ring/free.c
# case: a free segment that was used in between
# found: on the stack, and not FREE
# Nothing tells that the top of the stack was popped and pushed again
s/word - PA_FREE_TOP(word) + PA_FREE_POP +/word - PA_FREE_TOP(word) +/
