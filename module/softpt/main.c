// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading of softpt.ko. */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <asm/cpufeature.h>

#include "softpt.h"

/*
 * Returns -EBUSY if the processor has Intel PT: its driver owns the PMU's name and
 * is the better choice. Returns -EOPNOTSUPP if the kernel lacks something that
 * softpt needs.
 */
static int __init spt_init(void)
{
	int ret;

	if (boot_cpu_has(X86_FEATURE_INTEL_PT)) {
		pr_err("this processor has Intel PT, which perf uses without this module\n");
		return -EBUSY;
	}
	/* signal_deliver is called with siglock held, which is a mutex on PREEMPT_RT. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		pr_err("this kernel has PREEMPT_RT, where softpt does not work\n");
		return -EOPNOTSUPP;
	}
	ret = spt_hooks_find();
	if (ret)
		return ret;
	ret = spt_known_init();
	if (ret)
		return ret;
	spt_output_init();
	ret = spt_pmu_register();
	if (ret) {
		pr_err("cannot register the PMU intel_pt: error %d\n", ret);
		spt_known_exit();
	}
	return ret;
}

/*
 * Each event and each queued task work holds a reference to the module. The last
 * instructions of the last work may still be running, so wait for them.
 */
static void __exit spt_exit(void)
{
	spt_pmu_unregister();
	spt_output_exit();
	synchronize_rcu_tasks();
	spt_known_exit();
}

module_init(spt_init);
module_exit(spt_exit);

MODULE_DESCRIPTION("Intel PT in software, by single-stepping");
MODULE_LICENSE("GPL");
