// SPDX-License-Identifier: GPL-2.0-only
/*
 * Known instructions: the instructions that were decoded last on each CPU.
 *
 * An instruction is known only as long as the program's memory has the bytes that were
 * decoded. spt_known_find() reads all bytes that the decoder can read and compares
 * them in each step, so a change of the code needs no notification. The result of the
 * decoder depends on these bytes, the address and the mode only. The result is therefore
 * also right for another task.
 */
#include <linux/percpu.h>
#include <linux/string.h>

#include "peek.h"
#include "softpt.h"

/* A power of two: 14 KiB for each CPU; alloc_percpu() can give 32 KiB (PCPU_MIN_UNIT_SIZE) */
#define SPT_KNOWN_MAX	256

struct spt_known_insns {
	struct spt_known insns[SPT_KNOWN_MAX];
};

static struct spt_known_insns __percpu *spt_known;

static struct spt_known *slot_of(u64 ip)
{
	return &this_cpu_ptr(spt_known)->insns[(ip ^ ip >> 8) % SPT_KNOWN_MAX];
}

const struct spt_known *spt_known_find(u64 ip, bool is64)
{
	const struct spt_known *known = slot_of(ip);
	u64 words[SPT_KNOWN_WORDS];

	if (known->ip != ip || known->is64 != is64 ||
	    !spt_peek_words(words, (const u64 __user *)ip, SPT_KNOWN_WORDS) ||
	    (words[0] ^ known->words[0]) | (words[1] ^ known->words[1]))
		return NULL;
	return known;
}

/*
 * Return whether @insn may be known. If the trap of an instruction comes late, its
 * step also needs the bytes of the next one. The other classes that are left out are
 * rare.
 */
static bool is_plain(const struct spt_insn *insn)
{
	return insn->class == SPT_BRANCH || spt_insn_is_jump(insn) ||
	       (insn->class == SPT_OTHER && !spt_insn_is_late(insn));
}

const struct spt_known *spt_known_add(u64 ip, const u8 *bytes, bool is64)
{
	struct spt_insn insn;
	struct spt_known *known;

	spt_insn_decode(&insn, bytes, SPT_INSN_MAX, ip, is64);
	if (!is_plain(&insn))
		return NULL;
	known = slot_of(ip);
	known->ip = ip;
	known->is64 = is64;
	known->insn = insn;
	memcpy(known->words, bytes, sizeof(known->words));
	return known;
}

int spt_known_init(void)
{
	unsigned int cpu, i;

	BUILD_BUG_ON(sizeof_field(struct spt_known, words) < SPT_INSN_MAX);
	spt_known = alloc_percpu(struct spt_known_insns);
	if (!spt_known)
		return -ENOMEM;
	/* No instruction begins at the last address. */
	for_each_possible_cpu(cpu) {
		for (i = 0; i < SPT_KNOWN_MAX; i++)
			per_cpu_ptr(spt_known, cpu)->insns[i].ip = U64_MAX;
	}
	return 0;
}

void spt_known_exit(void)
{
	free_percpu(spt_known);
}
