// SPDX-License-Identifier: GPL-2.0-only
/*
 * auxgen's ledger: how many chunks are completely written, in memory that a crash of the machine
 * leaves alone. So the next boot knows to the chunk what had been written at the crash. The
 * memory is that of the kernel's parameter reserve_mem=1M:4096:auxgen. Without it, there is no
 * ledger. A smaller piece of memory would fit between an initial RAM disk and the firmware's tables
 * at the end of memory, where SeaBIOS writes when the machine starts again (QEMU 10).
 */
#include <linux/io.h>
#include <linux/string.h>

#include "../../module/compat/reserve_mem.h"
#include "auxgen_pmu.h"

static struct auxgen_ledger *auxgen_ledger;	/* or NULL */
struct auxgen_ledger auxgen_last_ledger;

void auxgen_ledger_note(const struct auxgen_pmu *pmu, u32 stream, u64 seq)
{
	const unsigned int cpu = smp_processor_id();

	if (!auxgen_ledger || pmu != auxgen_pmus || cpu >= AUXGEN_LEDGER_CPUS)
		return;
	/* The chunk is in memory before the ledger says so. */
	smp_wmb();
	WRITE_ONCE(auxgen_ledger->written[cpu][stream], seq + 1);
}

void auxgen_ledger_init(void)
{
	phys_addr_t start, size;

	BUILD_BUG_ON(sizeof(struct auxgen_ledger) != PAGE_SIZE);
	if (!pa_reserve_mem_find("auxgen", &start, &size) || size < sizeof(*auxgen_ledger))
		return;
	auxgen_ledger = phys_to_virt(start);
	if (auxgen_ledger->magic == AUXGEN_LEDGER_MAGIC)
		auxgen_last_ledger = *auxgen_ledger;
	memset(auxgen_ledger, 0, sizeof(*auxgen_ledger));
	auxgen_ledger->magic = AUXGEN_LEDGER_MAGIC;
}
