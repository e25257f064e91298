// SPDX-License-Identifier: GPL-2.0-only
/* Probe: vm_flags_set() and vm_flags_clear() exist (6.3). */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);
void probe(struct vm_area_struct *vma)
{
	vm_flags_set(vma, VM_DONTCOPY);
	vm_flags_clear(vma, VM_MAYEXEC);
}
