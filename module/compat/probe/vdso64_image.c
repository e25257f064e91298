// SPDX-License-Identifier: GPL-2.0-only
/* Probe: the image of the 64 bit vdso is named vdso64_image (7.0). */
#include <asm/vdso.h>

typeof(vdso64_image) *probe_image;
