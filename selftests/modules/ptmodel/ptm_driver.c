// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own Intel PT driver, for the model instead of hardware.
 *
 * All headers that the driver includes come first, so that the macros change only
 * the driver's own code (and the inline functions of arch/x86/events/perf_event.h,
 * which the driver does not call).
 */
/* The driver defines its own pr_fmt. An earlier header has defined another one. */
#undef pr_fmt
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/io.h>
#include <linux/kmemleak.h>
#include <linux/kvm_types.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/cpu.h>
#include <asm/cpu_device_id.h>
/* 6.16 ("x86/cpuid: Move <asm/cpuid.h> to <asm/cpuid/api.h>") */
#ifdef PTM_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif
#include <asm/fpu/xstate.h>
#include <asm/insn.h>
#include <asm/intel_ds.h>
#include <asm/intel_pt.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "../auxgen_pmu.h"
#include "ptm.h"
#include "ptm_driver.h"

#include PT_SOURCE

#undef memset

/* Call the interrupt handler like handle_pmi_common(). */
void ptm_interrupt(void)
{
	intel_pt_interrupt();
}

/* Undo pt_pmu_hw_init(), which the driver never does. */
static void ptm_free_caps(void)
{
	struct attribute **attrs = pt_cap_group.attrs;
	struct dev_ext_attribute *first;

	if (!attrs)
		return;
	first = container_of(attrs[0], struct dev_ext_attribute, attr.attr);
	kfree(first);
	kfree(attrs);
}

/*
 * In the kernel, the driver is always built in, so it does not set pmu.module. Here, events must
 * hold a reference to this module.
 */
int __init ptm_driver_init(void)
{
	int ret;

	pt_pmu.pmu.module = THIS_MODULE;
	ret = ptm_driver_initcall();
	if (ret) {
		ptm_free_caps();
		return ret;
	}
	/*
	 * pt_cap_group is __ro_after_init, where kmemleak does not look for pointers
	 * in modules (kmemleak_load_module(): MOD_DATA and MOD_INIT_DATA only).
	 */
	kmemleak_not_leak(pt_cap_group.attrs);
	return 0;
}

void ptm_driver_exit(void)
{
	perf_pmu_unregister(&pt_pmu.pmu);
	ptm_free_caps();
}
