// SPDX-License-Identifier: GPL-2.0-only
/* The address of perf_output_copy_aux(), for this module, too. */
#include "../auxgen_sample.c"
