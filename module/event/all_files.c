// SPDX-License-Identifier: GPL-2.0-only
/* The files of this folder as one unit of compilation: see module/ring/all_files.c. */
#include "aux_pmus.c"
#include "event_fd.c"
#include "function.c"
#include "lookup.c"
#include "output.c"
#include "pid.c"
#include "pin.c"
#include "pmu.c"
#include "redirect.c"
#include "rights.c"
#include "table.c"
