// SPDX-License-Identifier: GPL-2.0-only
/* Where perf_output_copy_aux() is, for this module too. */
#include "../auxgen_sample.c"
