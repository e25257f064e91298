// SPDX-License-Identifier: GPL-2.0-only
#include <asm/vdso.h>

typeof(vdso64_image) *probe_image;
