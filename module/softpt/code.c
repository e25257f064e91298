// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the program: the bytes of an instruction, those that a uprobe has
 * replaced, the critical section of rseq.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rseq.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/cpufeature.h>
#include <asm/special_insns.h>

#include "softpt.h"

/* CALL rel32 */
#define SPT_PROBE_SIZE	5

/* What is_optimizable_nop10() asks for, the rest is its operand. */
static const u8 spt_nop[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84 };

#define SPT_CALL_OPCODE	0xe8

/* @max bytes, or as many as there are, up to the end of the mapping. */
static unsigned int read_up_to(u8 *bytes, unsigned int max, u64 ip)
{
	const void __user *from = (const void __user *)ip;
	unsigned int first = min_t(unsigned long, max,
				   PAGE_SIZE - offset_in_page(ip));

	if (!copy_from_user_nofault(bytes, from, max))
		return max;
	if (copy_from_user_nofault(bytes, from, first))
		return 0;
	return first;
}

#ifdef CONFIG_X86_INTEL_MEMORY_PROTECTION_KEYS
/* Code that may only be executed has a key of its own: execute_only_pkey(). */
static unsigned int read_code(u8 *bytes, unsigned int max, u64 ip)
{
	unsigned int n;
	u32 pkru;

	if (!cpu_feature_enabled(X86_FEATURE_OSPKE))
		return read_up_to(bytes, max, ip);
	preempt_disable();
	pkru = rdpkru();
	wrpkru(0);
	n = read_up_to(bytes, max, ip);
	wrpkru(pkru);
	preempt_enable();
	return n;
}
#else
static unsigned int read_code(u8 *bytes, unsigned int max, u64 ip)
{
	return read_up_to(bytes, max, ip);
}
#endif

static unsigned int read_bytes(u8 *bytes, u64 ip)
{
	return read_code(bytes, SPT_INSN_MAX, ip);
}

void spt_code_read(struct spt_insn *insn, u64 ip, bool is64)
{
	u8 bytes[SPT_INSN_MAX];

	spt_insn_decode(insn, bytes, read_bytes(bytes, ip), ip, is64);
}

unsigned int spt_code_length(u64 ip, bool is64)
{
	u8 bytes[SPT_INSN_MAX];

	return spt_insn_length(bytes, read_bytes(bytes, ip), is64);
}

void spt_code_read_block(struct spt_block *block, u64 ip, bool is64)
{
	block->ip = ip;
	block->is64 = is64;
	block->n = read_code(block->bytes, sizeof(block->bytes), ip);
}

/* To be asked of what is known to be SPT_FAR. */
bool spt_code_is_iret(u64 ip, bool is64)
{
	u8 bytes[SPT_INSN_MAX];
	unsigned int n = read_bytes(bytes, ip), i;

	for (i = 0; i < n; i++) {
		if (bytes[i] == 0xcf)
			return true;
		/* No more than operand size, and REX, change what it does. */
		if (bytes[i] != 0x66 && !(is64 && (bytes[i] & 0xf0) == 0x40))
			return false;
	}
	return false;
}

#ifdef CONFIG_UPROBES
static const void *uprobes_area(void)
{
	return READ_ONCE(current->mm->uprobes_state.xol_area);
}

bool spt_code_in_uprobe(void)
{
	return current->utask && current->utask->active_uprobe;
}

/* struct xol_area is not for modules, but mappings have names. */
static bool is_called(struct vm_area_struct *vma, const char *name)
{
	const char *has = NULL;

	/* special_mapping_name() */
	if (!vma->vm_file && vma->vm_ops && vma->vm_ops->name)
		has = vma->vm_ops->name(vma);
	return has && !strcmp(has, name);
}

/* Where xol_add_vma() has put it */
static void find_area(struct spt_task *t)
{
	VMA_ITERATOR(vmi, current->mm, 0);
	struct vm_area_struct *vma;

	for_each_vma(vmi, vma) {
		if (is_called(vma, "[uprobes]")) {
			t->area_start = vma->vm_start;
			t->area_end = vma->vm_end;
			break;
		}
	}
}

/* There may be several, see get_uprobe_trampoline(). */
static bool find_trampoline(struct spt_task *t)
{
	u64 ip = t->places[0];
	struct vm_area_struct *vma = find_vma(current->mm, ip);

	if (!vma || ip < vma->vm_start ||
	    !is_called(vma, "[uprobes-trampoline]"))
		return false;
	t->trampoline_start = vma->vm_start;
	t->trampoline_end = vma->vm_end;
	return true;
}
#else
static const void *uprobes_area(void)
{
	return NULL;
}

bool spt_code_in_uprobe(void)
{
	return false;
}

static void find_area(struct spt_task *t)
{
}

static bool find_trampoline(struct spt_task *t)
{
	return false;
}
#endif

bool spt_code_may_be_pair(u64 ip)
{
	u8 bytes[SPT_LEA_SIZE + 1];

	if (copy_from_user_nofault(bytes, (const void __user *)ip, sizeof(bytes)))
		return false;
	return spt_insn_is_lea(bytes, SPT_LEA_SIZE) &&
	       bytes[SPT_LEA_SIZE] == SPT_CALL_OPCODE;
}

void spt_code_at_trampoline(struct spt_task *t, u64 ip)
{
	t->trampoline_start = ip & PAGE_MASK;
	t->trampoline_end = t->trampoline_start + PAGE_SIZE;
}

bool spt_code_is_stale(const struct spt_task *t)
{
	return current->mm &&
	       (t->mm != current->mm || t->area != uprobes_area());
}

bool spt_code_is_uprobes(const struct spt_task *t, u64 ip)
{
	return (ip >= t->area_start && ip < t->area_end) ||
	       (ip >= t->trampoline_start && ip < t->trampoline_end);
}

/*
 * Since 6.18 a probe at a NOP of 5 bytes becomes a CALL of a page that uprobes have
 * mapped (swbp_optimize()). 7.2 does that at a NOP of 10 bytes only, see enum spt_pair.
 */
bool spt_code_may_be_probe(const struct spt_insn *insn)
{
	return insn->class == SPT_CALL && insn->length == SPT_PROBE_SIZE &&
	       !offset_in_page(insn->target);
}

/* The bytes of the file that is mapped at @ip, in one page; mmap_lock is held. */
static int read_file(u64 ip, u8 *bytes, unsigned int n)
{
	struct vm_area_struct *vma = find_vma(current->mm, ip);
	struct page *page;
	void *at;

	if (!vma || ip < vma->vm_start || !vma->vm_file)
		return -ENOENT;
	/* install_breakpoint() has read it, see copy_insn(). */
	page = find_get_page(vma->vm_file->f_mapping,
			     linear_page_index(vma, ip));
	if (!page)
		return -ENOENT;
	at = kmap_local_page(page);
	memcpy(bytes, at + offset_in_page(ip), n);
	kunmap_local(at);
	put_page(page);
	return 0;
}

/*
 * A uprobe is an INT3, or a CALL that is in one page, in an anonymous copy of the
 * page (uprobe_write_opcode()), so that what decoders are to see is still in the
 * file.
 */
static void read_held(struct spt_task *t, unsigned int replaced)
{
	u8 bytes[SPT_INSN_MAX];
	unsigned int n = read_bytes(bytes, t->held_ip);

	if (n < replaced ||
	    offset_in_page(t->held_ip) + replaced > PAGE_SIZE ||
	    read_file(t->held_ip, bytes, replaced))
		n = 0;
	spt_insn_decode(&t->held_insn, bytes, n, t->held_ip, t->is64);
}

static void refresh_held(struct spt_task *t)
{
	if (!t->suspicious) {
		read_held(t, t->silent ? SPT_PROBE_SIZE : 1);
	} else if (find_trampoline(t)) {
		t->silent = true;
		read_held(t, SPT_PROBE_SIZE);
	}
	t->suspicious = false;
	t->held_read = true;
}

/* A pair is not where a page ends: can_optimize() */
static bool is_nop_in_file(u64 ip)
{
	u8 bytes[sizeof(spt_nop)];

	return offset_in_page(ip) + sizeof(bytes) <= PAGE_SIZE &&
	       !read_file(ip, bytes, sizeof(bytes)) &&
	       !memcmp(bytes, spt_nop, sizeof(spt_nop));
}

/* A signal came between LEA and CALL, and its handler has returned. */
static bool is_back_at_pair(const struct spt_task *t, const struct pt_regs *regs)
{
	return t->pair == SPT_PAIR_NONE && !t->stepping &&
	       spt_code_may_be_pair(regs->ip - SPT_LEA_SIZE);
}

static void refresh_pair(struct spt_task *t, bool back)
{
	u64 ip = back ? current_pt_regs()->ip - SPT_LEA_SIZE : t->pair_ip;

	if (is_nop_in_file(ip)) {
		t->pair = SPT_PAIR_UPROBE;
		t->pair_ip = ip;
	} else if (!back) {
		t->pair = SPT_PAIR_PROGRAM;
	}
}

void spt_code_refresh(struct spt_task *t)
{
	bool stale = spt_code_is_stale(t);
	bool back = is_back_at_pair(t, current_pt_regs());

	if (!stale && (!t->held || t->held_read) && !back &&
	    t->pair != SPT_PAIR_MAYBE)
		return;
	mmap_read_lock(current->mm);
	if (stale) {
		if (t->mm != current->mm) {
			t->trampoline_start = 0;
			t->trampoline_end = 0;
		}
		t->mm = current->mm;
		t->area = uprobes_area();
		t->area_start = 0;
		t->area_end = 0;
		if (t->area)
			find_area(t);
	}
	if (t->held && !t->held_read)
		refresh_held(t);
	if (back || t->pair == SPT_PAIR_MAYBE)
		refresh_pair(t, back);
	mmap_read_unlock(current->mm);
}

/*
 * What rseq_ip_fixup() will do if it finds a reason to. That comes after our
 * work, in the same return to user space.
 */
u64 spt_code_rseq_abort(struct spt_task *t, u64 ip)
{
	struct rseq __user *rseq = pa_task_rseq(current);
	struct rseq_cs cs;
	u64 at;

	if (!rseq || copy_from_user_nofault(&at, &rseq->rseq_cs, sizeof(at)) ||
	    !at)
		return 0;
	t->has_sections = true;
	if (copy_from_user_nofault(&cs, (void __user *)at, sizeof(cs)))
		return 0;
	if (ip - cs.start_ip >= cs.post_commit_offset)
		return 0;
	return cs.abort_ip;
}
