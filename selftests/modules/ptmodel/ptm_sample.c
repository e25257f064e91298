// SPDX-License-Identifier: GPL-2.0-only
/* This module, too, must look up perf_output_copy_aux(), which is not exported. */
#include "../auxgen_sample.c"
