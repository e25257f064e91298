// SPDX-License-Identifier: GPL-2.0-only
/*
 * Branch stepping: the processor traps only after taken branches, if TF is set together
 * with BTF in IA32_DEBUGCTL (SDM volume 3, "Single-Stepping on Branches"). The kernel
 * calls this block stepping (TIF_BLOCKSTEP), and loads BTF when it switches to the task
 * (__switch_to_xtra()). At each trap the processor clears BTF, and the kernel clears
 * TIF_BLOCKSTEP (exc_debug_user()), so this file sets both again for each block. It
 * cannot call set_task_blockstep(), which is not exported to modules.
 *
 * No register tells whether BTF works: hypervisors accept the write and ignore it. So
 * the module tries. The first block that it steps with BTF is one from which it can tell:
 * if BTF is ignored, the trap comes after an instruction that is no branch.
 *
 * The parameter branch_stepping is "auto" (try, the default), "off" or "model". The
 * model is for tests on machines where BTF does not work: the processor traps after
 * each instruction, and the module ignores the traps that BTF would not have caused.
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

/* Called only while the module is loaded (mode 0444), so no task is stepped yet. */
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
		 "Trap only after taken branches, with the processor's BTF: auto (default: if it works), off, or model (for tests). Reads as the result: off, not tried yet, or works.");

bool spt_btf_may_work(void)
{
	return READ_ONCE(spt_btf) != SPT_BTF_NO;
}

/* Do for current what set_task_blockstep() does. */
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

	/* arch_has_block_step() is true from this family on. */
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
	 * The trap came before a branch was taken: BTF never worked, or the virtual
	 * machine has migrated to a host where it does not.
	 */
	WRITE_ONCE(spt_btf, SPT_BTF_NO);
	return true;
}

/*
 * The model: return whether BTF would not have caused this trap, because the last
 * instruction was no branch, or a branch that was not taken. If so, wait for the next.
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
