// SPDX-License-Identifier: GPL-2.0-only
/* Probe: the header asm/cpuid/api.h exists. */
#include <asm/cpuid/api.h>
