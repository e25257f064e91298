// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branch stepping: traps after taken branches only, by TF with BTF in IA32_DEBUGCTL
 * (SDM volume 3, "Single-Stepping on Branches"). The kernel's name for it is
 * TIF_BLOCKSTEP. The kernel loads the BTF bit when it switches to the task
 * (__switch_to_xtra()). At each trap the processor clears the bit, and the kernel
 * the flag (exc_debug_user()). set_task_blockstep() is not exported to modules.
 *
 * The processor cannot be asked whether BTF works, because hypervisors accept the
 * write and ignore it. The module therefore tries: the first block that would prove
 * that BTF does not work is stepped with BTF.
 *
 * The model is for tests on machines without a working BTF. They trap at each
 * instruction, and the module swallows the traps that BTF would not have caused.
 */
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <asm/debugreg.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "softpt.h"

enum spt_btf {
	SPT_BTF_NO,
	SPT_BTF_PERHAPS,
	SPT_BTF_WORKS,
};

static int spt_btf = SPT_BTF_PERHAPS;
static bool spt_btf_model;

/* Runs when the module is loaded, when no task is stepped yet. */
static int spt_btf_param_set(const char *value, const struct kernel_param *kp)
{
	spt_btf = SPT_BTF_PERHAPS;
	spt_btf_model = sysfs_streq(value, "model");
	if (sysfs_streq(value, "off")) {
		spt_btf = SPT_BTF_NO;
	} else if (!spt_btf_model && !sysfs_streq(value, "auto")) {
		pr_err("branch_stepping=%s: it can be auto, off, or model\n",
		       value);
		return -EINVAL;
	}
	return 0;
}

static int spt_btf_param_get(char *buffer, const struct kernel_param *kp)
{
	static const char * const states[] = {
		[SPT_BTF_NO] = "off",
		[SPT_BTF_PERHAPS] = "not tried yet",
		[SPT_BTF_WORKS] = "works",
	};

	return sysfs_emit(buffer, "%s%s\n", states[READ_ONCE(spt_btf)],
			  spt_btf_model ? ", model" : "");
}

static const struct kernel_param_ops spt_btf_param = {
	.set = spt_btf_param_set,
	.get = spt_btf_param_get,
};

module_param_cb(branch_stepping, &spt_btf_param, NULL, 0444);
MODULE_PARM_DESC(branch_stepping,
		 "traps behind taken branches only: auto (default), off, or model, which is for tests. Reads as what it has come to.");

bool spt_btf_may_work(void)
{
	return READ_ONCE(spt_btf) != SPT_BTF_NO;
}

/* Same as set_task_blockstep() */
void spt_btf_set(bool on)
{
	unsigned long debugctl = get_debugctlmsr();

	if (on) {
		debugctl |= DEBUGCTLMSR_BTF;
		set_thread_flag(TIF_BLOCKSTEP);
	} else {
		debugctl &= ~DEBUGCTLMSR_BTF;
		clear_thread_flag(TIF_BLOCKSTEP);
	}
	update_debugctlmsr(debugctl);
}

bool spt_btf_begin(struct spt_block *block, u64 ip, bool is64)
{
	const int btf = READ_ONCE(spt_btf);

	/* Same as arch_has_block_step() */
	if (btf == SPT_BTF_NO || boot_cpu_data.x86 < 6)
		return false;
	spt_code_read_block(block, ip, is64);
	if (!spt_block_is_clear(block) ||
	    (btf == SPT_BTF_PERHAPS && !spt_block_is_proof(block)))
		return false;
	spt_btf_set(true);
	return true;
}

bool spt_btf_trapped(const struct spt_block *block, u64 next, u64 *from)
{
	if (spt_block_branch_to(block, next, from)) {
		if (READ_ONCE(spt_btf) == SPT_BTF_PERHAPS)
			WRITE_ONCE(spt_btf, SPT_BTF_WORKS);
		return true;
	}
	if (!spt_block_step_to(block, next, from))
		return false;
	/*
	 * BTF does not work, or no longer works because the virtual machine has
	 * migrated to another host.
	 */
	WRITE_ONCE(spt_btf, SPT_BTF_NO);
	return true;
}

/*
 * A processor with BTF does not trap after an instruction that is no branch, or
 * after a branch that was not taken.
 */
bool spt_btf_waits(struct spt_task *t, u64 next)
{
	struct spt_insn insn;

	if (!spt_btf_model || !spt_block_insn(&t->block, t->model_ip, &insn))
		return false;
	if (spt_insn_is_jump(&insn) ||
	    (insn.class == SPT_BRANCH && next != t->model_ip + insn.length))
		return false;
	t->model_ip = next;
	spt_btf_set(true);
	return true;
}
