// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read the program's code: the bytes of an instruction, the bytes that a uprobe has
 * replaced, and the critical section of rseq.
 */
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/rseq.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/cpufeature.h>
#include <asm/special_insns.h>

#include "peek.h"
#include "softpt.h"

/* CALL rel32 */
#define SPT_PROBE_SIZE	5

/*
 * The bytes that is_optimizable_nop10() compares; the rest of the NOP is its
 * operand.
 */
static const u8 spt_nop[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84 };

#define SPT_CALL_OPCODE	0xe8

/*
 * Copy code with a page fault if @sleeps, else without. Return 0 if all of it was
 * copied.
 */
static unsigned long copy_code(u8 *bytes, u64 ip, unsigned int n, bool sleeps)
{
	const void __user *from = (const void __user *)ip;

	return sleeps ? copy_from_user(bytes, from, n) :
			copy_from_user_nofault(bytes, from, n) != 0;
}

/* Read @max bytes, or fewer if the mapping ends before. */
static unsigned int read_up_to(u8 *bytes, unsigned int max, u64 ip, bool sleeps)
{
	unsigned int first = min_t(unsigned long, max,
				   PAGE_SIZE - offset_in_page(ip));

	if (!copy_code(bytes, ip, max, sleeps))
		return max;
	return copy_code(bytes, ip, first, sleeps) ? 0 : first;
}

#ifdef CONFIG_X86_INTEL_MEMORY_PROTECTION_KEYS
/* Execute-only code has a protection key of its own: execute_only_pkey(). */
static unsigned int read_code(u8 *bytes, unsigned int max, u64 ip)
{
	unsigned int n;
	u32 pkru;

	if (!cpu_feature_enabled(X86_FEATURE_OSPKE))
		return read_up_to(bytes, max, ip, false);
	preempt_disable();
	pkru = rdpkru();
	wrpkru(0);
	n = read_up_to(bytes, max, ip, false);
	wrpkru(pkru);
	preempt_enable();
	return n;
}
#else
static unsigned int read_code(u8 *bytes, unsigned int max, u64 ip)
{
	return read_up_to(bytes, max, ip, false);
}
#endif

/*
 * Read code and bring it into memory if necessary. Sleeps.
 *
 * First try a page fault, as the program would have it. A page fault drops
 * mmap_lock while a file system is asked (lock_folio_maybe_drop_mmap()), and a
 * fatal signal ends it. If that fails, access_process_vm() can also read memory
 * that is execute-only or was made inaccessible meanwhile (FOLL_FORCE,
 * check_vma_flags()).
 */
static unsigned int fetch_up_to(u8 *bytes, unsigned int max, u64 ip)
{
	return read_up_to(bytes, max, ip, true) ?:
	       access_process_vm(current, ip, bytes, max, FOLL_FORCE);
}

static void fetch_code(struct spt_code *code, u64 ip)
{
	code->ip = ip;
	code->n = fetch_up_to(code->bytes, sizeof(code->bytes), ip);
}

void spt_code_take(struct spt_task *t)
{
	unsigned int i;

	/* spt_known_add() for one place could overwrite what is known of another. */
	if (t->nr_places == 1) {
		t->known = spt_known_find(t->places[0], t->is64);
		if (t->known)
			return;
	}
	for (i = 0; i < t->nr_places; i++) {
		t->code[i].ip = t->places[i];
		t->code[i].n = read_code(t->code[i].bytes,
					 sizeof(t->code[i].bytes), t->places[i]);
	}
	t->nr_code = t->nr_places;
	if (t->nr_places == 1 && t->code[0].n >= sizeof(t->known->words))
		t->known = spt_known_add(t->places[0], t->code[0].bytes, t->is64);
}

void spt_code_fetch(struct spt_task *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_places; i++)
		fetch_code(&t->code[i], t->places[i]);
	t->nr_code = t->nr_places;
}

void spt_code_forget(struct spt_task *t)
{
	t->nr_code = 0;
	t->known = NULL;
}

/*
 * Return the code that was read at @ip, if it contains the whole instruction or all
 * bytes that could be read.
 */
static const struct spt_code *find_code(const struct spt_task *t, u64 ip)
{
	unsigned int i;

	for (i = 0; i < t->nr_code; i++) {
		const struct spt_code *code = &t->code[i];

		if (ip - code->ip < code->n &&
		    (ip == code->ip || code->n < sizeof(code->bytes) ||
		     ip - code->ip <= code->n - SPT_INSN_MAX))
			return code;
	}
	return NULL;
}

static bool has_known(const struct spt_task *t, u64 ip)
{
	return t->known && t->known->ip == ip;
}

static unsigned int read_bytes(const struct spt_task *t, u8 *bytes, u64 ip)
{
	const struct spt_code *code;
	unsigned int n;

	if (has_known(t, ip)) {
		memcpy(bytes, t->known->words, SPT_INSN_MAX);
		return SPT_INSN_MAX;
	}
	code = find_code(t, ip);
	if (!code)
		return read_code(bytes, SPT_INSN_MAX, ip);
	n = min_t(u64, SPT_INSN_MAX, code->n - (ip - code->ip));
	memcpy(bytes, code->bytes + (ip - code->ip), n);
	return n;
}

void spt_code_read(const struct spt_task *t, struct spt_insn *insn, u64 ip)
{
	u8 bytes[SPT_INSN_MAX];

	if (has_known(t, ip))
		*insn = t->known->insn;
	else
		spt_insn_decode(insn, bytes, read_bytes(t, bytes, ip), ip, t->is64);
}

unsigned int spt_code_length(const struct spt_task *t, u64 ip)
{
	u8 bytes[SPT_INSN_MAX];

	return spt_insn_length(bytes, read_bytes(t, bytes, ip), t->is64);
}

void spt_code_read_block(struct spt_block *block, u64 ip, bool is64)
{
	block->ip = ip;
	block->is64 = is64;
	block->n = read_code(block->bytes, sizeof(block->bytes), ip);
}

/* Call this only for an instruction of class SPT_FAR. */
bool spt_code_is_iret(const struct spt_task *t, u64 ip)
{
	u8 bytes[SPT_INSN_MAX];
	unsigned int n = read_bytes(t, bytes, ip), i;

	for (i = 0; i < n; i++) {
		if (bytes[i] == 0xcf)
			return true;
		/* Only the operand size prefix and REX change what IRET does. */
		if (bytes[i] != 0x66 &&
		    !(t->is64 && (bytes[i] & 0xf0) == 0x40))
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

/* Modules do not see struct xol_area, but its mapping has a name. */
static bool is_called(struct vm_area_struct *vma, const char *name)
{
	const char *has = NULL;

	/* special_mapping_name() */
	if (!vma->vm_file && vma->vm_ops && vma->vm_ops->name)
		has = vma->vm_ops->name(vma);
	return has && !strcmp(has, name);
}

/* Find the area that xol_add_vma() has mapped. */
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

/*
 * Find the trampoline at places[0]. There may be several, see
 * get_uprobe_trampoline().
 */
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

bool spt_code_may_be_pair(const struct spt_task *t, u64 ip)
{
	u8 bytes[SPT_INSN_MAX];

	if (read_bytes(t, bytes, ip) <= SPT_LEA_SIZE)
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
 * Since 6.18, uprobes replace a NOP of 5 bytes by a CALL to a page that they have
 * mapped (swbp_optimize()). 7.2 does that only for a NOP of 10 bytes, see enum
 * spt_pair.
 */
bool spt_code_may_be_probe(const struct spt_insn *insn)
{
	return insn->class == SPT_CALL && insn->length == SPT_PROBE_SIZE &&
	       !offset_in_page(insn->target);
}

/*
 * Read a page of a file as copy_insn() does. copy_insn() read the page when the
 * uprobe was installed, but it may be gone from the page cache again. Return NULL
 * if the page cannot be read.
 */
static struct folio *get_folio(struct file *file, pgoff_t index)
{
	struct address_space *mapping = file->f_mapping;
	struct folio *folio = filemap_get_folio(mapping, index);
	struct page *page;

	if (!IS_ERR_OR_NULL(folio)) {
		if (folio_test_uptodate(folio))
			return folio;
		folio_put(folio);
	}
	if (!mapping->a_ops->read_folio) {
		if (mapping->host->i_sb->s_magic != TMPFS_MAGIC)
			return NULL;
		page = shmem_read_mapping_page(mapping, index);
		return IS_ERR(page) ? NULL : page_folio(page);
	}
	/* do_read_cache_folio() expects the caller to hold this lock. */
	filemap_invalidate_lock_shared(mapping);
	folio = read_mapping_folio(mapping, index, file);
	filemap_invalidate_unlock_shared(mapping);
	return IS_ERR(folio) ? NULL : folio;
}

/*
 * Return the file that is mapped at @ip, and the index of its page there; NULL if
 * no file is mapped.
 */
static struct file *get_mapped(u64 ip, pgoff_t *index)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;

	mmap_read_lock(current->mm);
	vma = find_vma(current->mm, ip);
	if (vma && ip >= vma->vm_start && vma->vm_file) {
		file = get_file(vma->vm_file);
		*index = linear_page_index(vma, ip);
	}
	mmap_read_unlock(current->mm);
	return file;
}

/*
 * Read @n bytes, all in one page, of the file that is mapped at @ip. Return -ENOENT
 * if no file is mapped.
 *
 * This must not hold mmap_lock. A file system in user space may take any time to
 * answer, and everybody who looks at the task in /proc would wait for the lock.
 */
static int read_file(u64 ip, u8 *bytes, unsigned int n)
{
	struct folio *folio = NULL;
	struct file *file;
	pgoff_t index;
	void *at;

	file = get_mapped(ip, &index);
	if (!file)
		return -ENOENT;
	/* A truncated file has no page beyond its end. */
	if (index < DIV_ROUND_UP(i_size_read(file->f_mapping->host), PAGE_SIZE))
		folio = get_folio(file, index);
	if (folio) {
		at = kmap_local_folio(folio, offset_in_folio(folio, (u64)index << PAGE_SHIFT));
		memcpy(bytes, at + offset_in_page(ip), n);
		kunmap_local(at);
		folio_put(folio);
	}
	fput(file);
	return folio ? 0 : -EIO;
}

/*
 * A uprobe is an INT3, or a CALL within one page. uprobe_write_opcode() puts it
 * into an anonymous copy of the page, so the file still has the bytes that decoders
 * need. The same is true of a debugger's breakpoint. Memory without a file has no
 * uprobes (valid_vma()), and decoders can only be given what is in memory.
 */
static void read_held(struct spt_task *t, unsigned int replaced)
{
	u8 bytes[SPT_INSN_MAX];
	unsigned int n = read_bytes(t, bytes, t->held_ip);
	int ret = -EIO;

	if (n >= replaced && offset_in_page(t->held_ip) + replaced <= PAGE_SIZE)
		ret = read_file(t->held_ip, bytes, replaced);
	if (ret && ret != -ENOENT)
		n = 0;
	spt_insn_decode(&t->held_insn, bytes, n, t->held_ip, t->is64);
}

static void refresh_held(struct spt_task *t, bool at_trampoline)
{
	if (!t->suspicious) {
		read_held(t, t->silent ? SPT_PROBE_SIZE : 1);
	} else if (at_trampoline) {
		t->silent = true;
		read_held(t, SPT_PROBE_SIZE);
	}
	t->suspicious = false;
	t->held_read = true;
}

/* A pair does not cross the end of a page: can_optimize() */
static bool is_nop_in_file(u64 ip)
{
	u8 bytes[sizeof(spt_nop)];

	return offset_in_page(ip) + sizeof(bytes) <= PAGE_SIZE &&
	       !read_file(ip, bytes, sizeof(bytes)) &&
	       !memcmp(bytes, spt_nop, sizeof(spt_nop));
}

/* Return whether a signal came between LEA and CALL and its handler has returned. */
static bool is_back_at_pair(const struct spt_task *t, const struct pt_regs *regs)
{
	return t->pair == SPT_PAIR_NONE && !t->stepping &&
	       spt_code_may_be_pair(t, regs->ip - SPT_LEA_SIZE);
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
	bool at_trampoline = false;

	if (!stale && (!t->held || t->held_read) && !back &&
	    t->pair != SPT_PAIR_MAYBE)
		return;
	if (t->held && !t->held_read) {
		fetch_code(&t->code[0], t->held_ip);
		t->nr_code = 1;
	}
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
	if (t->held && !t->held_read && t->suspicious)
		at_trampoline = find_trampoline(t);
	mmap_read_unlock(current->mm);
	if (t->held && !t->held_read)
		refresh_held(t, at_trampoline);
	if (back || t->pair == SPT_PAIR_MAYBE)
		refresh_pair(t, back);
	spt_code_forget(t);
}

/*
 * Return the address to which rseq_ip_fixup() moves the task if it finds a reason
 * to abort. rseq_ip_fixup() runs after our work, in the same return to user space.
 */
u64 spt_code_rseq_abort(struct spt_task *t, u64 ip)
{
	struct rseq __user *rseq = pa_task_rseq(current);
	struct rseq_cs cs;
	u64 at;

	if (!rseq || !spt_peek_words(&at, (const u64 __user *)&rseq->rseq_cs, 1) || !at)
		return 0;
	t->has_sections = true;
	if (copy_from_user_nofault(&cs, (void __user *)at, sizeof(cs)))
		return 0;
	if (ip - cs.start_ip >= cs.post_commit_offset)
		return 0;
	return cs.abort_ip;
}
