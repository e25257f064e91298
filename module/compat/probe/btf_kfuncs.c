// SPDX-License-Identifier: GPL-2.0-only
/* Probe: BTF_KFUNCS_START() and BTF_KFUNCS_END() exist (6.9). */
#include <linux/btf.h>
#include <linux/btf_ids.h>

BTF_KFUNCS_START(probe_kfuncs)
BTF_KFUNCS_END(probe_kfuncs)
