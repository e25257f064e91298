// SPDX-License-Identifier: GPL-2.0-only
/* The files of this folder as one unit of compilation: see module/ring/all_files.c. */
#include "bpf.c"
#include "producer.c"
#include "raw.c"
#include "raw_hook.c"
