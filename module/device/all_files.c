// SPDX-License-Identifier: GPL-2.0-only
/* The files of this folder as one unit of compilation: see module/ring/all_files.c. */
#include "attach.c"
#include "device.c"
#include "kept.c"
#include "node.c"
#include "ring.c"
#include "ring_file.c"
