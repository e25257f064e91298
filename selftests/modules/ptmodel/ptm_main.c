// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters and counters of ptmodel, in /sys/module/ptmodel/parameters. The parameters
 * say which capabilities the model reports in CPUID, and how much it writes. The files
 * with counters are:
 *
 *   stats	a line "cpu stream chunks lost" for each CPU and stream that wrote
 *		chunks, in the format of auxgen's file of this name
 *   counters	a line "name value" for each counter, where value is the sum of all CPUs:
 *	pmis	NMIs that called the driver's interrupt handler
 *	again	NMIs that interrupted a step, and were sent again after it
 *	stops	regions with STOP that became full, which stops the output
 *	single	chunks written to a single range
 *	faults	times when hardware would have raised #GP or an operational error
 *	padding	bytes that the driver zeroed (single-entry ToPA)
 *
 *		then a line "fault CPU WHAT VALUE" with the first fault of each CPU
 */
#include <linux/module.h>
#include <linux/sysfs.h>

#include <asm/cpufeature.h>

#include "../auxgen_pmu.h"
#include "ptm.h"

bool ptm_multiple_entries = true;
module_param_named(topa_multiple_entries, ptm_multiple_entries, bool, 0444);
MODULE_PARM_DESC(topa_multiple_entries, "CPUID reports that ToPA tables can have several entries (default 1)");

bool ptm_topa_output = true;
module_param_named(topa_output, ptm_topa_output, bool, 0444);
MODULE_PARM_DESC(topa_output, "CPUID reports ToPA output (default 1)");

bool ptm_single_range;
module_param_named(single_range_output, ptm_single_range, bool, 0444);
MODULE_PARM_DESC(single_range_output, "CPUID reports output to a single range (default 0)");

unsigned int ptm_chunks = 16;
module_param_named(chunks, ptm_chunks, uint, 0644);
MODULE_PARM_DESC(chunks, "Number of chunks of 64 bytes that a CPU writes in each period (default 16)");

unsigned int ptm_period = 200;
module_param_named(period, ptm_period, uint, 0644);
MODULE_PARM_DESC(period, "Period in microseconds, at least 20 (default 200)");

unsigned int ptm_ctx_chunks = 2;
module_param_named(ctx, ptm_ctx_chunks, uint, 0644);
MODULE_PARM_DESC(ctx, "Number of chunks that are written after TraceEn is set, and again before it is cleared (default 2)");

unsigned int ptm_skid;
module_param_named(skid, ptm_skid, uint, 0644);
MODULE_PARM_DESC(skid, "Number of chunks that are still written after a PMI is due, before it is sent (default 0)");

unsigned int ptm_run_order = UINT_MAX;
module_param_named(run_order, ptm_run_order, uint, 0444);
MODULE_PARM_DESC(run_order, "Largest order of an output region: it has at most 2^run_order pages (default: no limit)");

static int ptm_stats_get(char *buf, const struct kernel_param *kp)
{
	int cpu, i, at = 0;

	for_each_possible_cpu(cpu) {
		const struct ptm_cpu *p = per_cpu_ptr(&ptm_cpu, cpu);

		for (i = 0; i < AUXGEN_STREAMS; i++)
			if (p->seq[i])
				at += sysfs_emit_at(buf, at,
						    "%d %d %llu %llu\n", cpu, i,
						    READ_ONCE(p->seq[i]),
						    READ_ONCE(p->lost[i]));
	}
	return at;
}

static const struct kernel_param_ops ptm_stats_ops = {
	.get = ptm_stats_get,
};
module_param_cb(stats, &ptm_stats_ops, NULL, 0444);

#define COUNTER(name) { #name, offsetof(struct ptm_cpu, name) }

static const struct {
	const char *name;
	size_t offset;
} ptm_counters[] = {
	COUNTER(pmis),
	COUNTER(again),
	COUNTER(stops),
	COUNTER(single),
	COUNTER(faults),
	COUNTER(padding),
};

static u64 ptm_counter(size_t offset)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*(u64 *)((void *)per_cpu_ptr(&ptm_cpu, cpu) +
					  offset));
	return sum;
}

static int ptm_counters_get(char *buf, const struct kernel_param *kp)
{
	int cpu, i, at = 0;

	for (i = 0; i < ARRAY_SIZE(ptm_counters); i++)
		at += sysfs_emit_at(buf, at, "%s %llu\n", ptm_counters[i].name,
				    ptm_counter(ptm_counters[i].offset));
	for_each_possible_cpu(cpu) {
		const struct ptm_cpu *p = per_cpu_ptr(&ptm_cpu, cpu);

		if (p->faults)
			at += sysfs_emit_at(buf, at, "fault %d %s %#llx\n",
					    cpu, p->fault, p->fault_value);
	}
	return at;
}

static const struct kernel_param_ops ptm_counters_ops = {
	.get = ptm_counters_get,
};
module_param_cb(counters, &ptm_counters_ops, NULL, 0444);

static int __init ptm_init(void)
{
	int ret;

	if (boot_cpu_has(X86_FEATURE_INTEL_PT)) {
		pr_err("this machine has Intel PT, and a driver for it\n");
		return -EEXIST;
	}
	ret = auxgen_sample_init();
	if (ret)
		return ret;
	ptm_hw_init();
	ret = ptm_pmi_init();
	if (ret)
		return ret;
	ret = ptm_driver_init();
	if (ret)
		ptm_pmi_exit();
	return ret;
}

static void __exit ptm_exit(void)
{
	ptm_driver_exit();
	ptm_hw_exit();
	ptm_pmi_exit();
}

module_init(ptm_init);
module_exit(ptm_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The kernel's Intel PT driver on a model of its hardware");
