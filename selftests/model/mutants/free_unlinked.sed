# SPDX-License-Identifier: GPL-2.0-only
# file: ring/free.c
# case: a reader who gives back the last one first
# found: is FREE, and nobody finds it
# A released segment becomes FREE, and is not put on the stack
/^void pa_free_released/,/^}/ s/pa_free_link(seg);/;/
