// SPDX-License-Identifier: GPL-2.0-only
/*
 * AUX sampling: drivers copy from the area that they write to into a sample of
 * another event, see pt_event_snapshot_aux(). The function that does it is not
 * exported, as the one driver that calls it is never a module; a kprobe that is
 * not armed tells where it is.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "auxgen_pmu.h"

long (*auxgen_copy_aux)(struct perf_output_handle *aux_handle,
			struct perf_output_handle *handle,
			unsigned long from, unsigned long to);

int auxgen_sample_init(void)
{
	struct kprobe probe = {
		.symbol_name = "perf_output_copy_aux",
		.flags = KPROBE_FLAG_DISABLED,
	};
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long offset = 0;
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	/* A probe is behind ENDBR, which an indirect call has to go to. */
	sprint_symbol(symbol, (unsigned long)probe.addr);
	if (sscanf(symbol, "perf_output_copy_aux+%lx/", &offset) == 1)
		auxgen_copy_aux = (void *)probe.addr - offset;
	unregister_kprobe(&probe);
	return auxgen_copy_aux ? 0 : -ENOENT;
}
