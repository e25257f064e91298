// SPDX-License-Identifier: GPL-2.0-only
/*
 * The id of [vdso]: an ELF image without a file. Its record is written while it
 * is being mapped (map_vdso()), before mm->context tells of it, so the image has
 * to be known before. The kernel has one per ABI, as variables that are not
 * exported.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "ids.h"

#ifdef CONFIG_X86_64
#include <asm/vdso.h>

enum pa_vdso_abi {
	PA_VDSO_64,
	PA_VDSO_32,
	PA_NR_VDSO,
};

/* Until 6.18 the first of each. */
static const char * const pa_vdso_symbols[PA_NR_VDSO][2] = {
	[PA_VDSO_64] = { "vdso_image_64", "vdso64_image" },
	[PA_VDSO_32] = { "vdso_image_32", "vdso32_image" },
};

static struct pa_vdso {
	unsigned long size;
	struct pa_elf_id id;
} pa_vdso[PA_NR_VDSO];

struct pa_vdso_reader {
	struct pa_elf_reader reader;
	const void *data;
};

static int pa_vdso_read(struct pa_elf_reader *reader, u64 offset, void *buf,
			u32 len)
{
	struct pa_vdso_reader *r = container_of(reader, struct pa_vdso_reader,
						reader);

	memcpy(buf, r->data + offset, len);
	return 0;
}

/*
 * Of data, too: register_kprobe() looks the symbol up and then refuses the
 * address, because it is no code, but leaves it in the structure.
 */
static const void *pa_vdso_symbol(const char *name)
{
	struct kprobe probe = { .symbol_name = name };

	if (!register_kprobe(&probe)) {
		unregister_kprobe(&probe);
		return NULL;
	}
	return probe.addr;
}

static void pa_vdso_find(enum pa_vdso_abi abi)
{
	struct pa_vdso_reader r = { .reader.read = pa_vdso_read };
	const struct vdso_image *image = NULL;
	int i;

	for (i = 0; !image && i < ARRAY_SIZE(pa_vdso_symbols[abi]); i++)
		image = pa_vdso_symbol(pa_vdso_symbols[abi][i]);
	if (!image)
		return;
	r.data = image->data;
	r.reader.size = image->size;
	if (!pa_elf_id(&r.reader, &pa_vdso[abi].id))
		pa_vdso[abi].size = image->size;
}

void pa_ids_vdso_init(void)
{
	int i;

	for (i = 0; i < PA_NR_VDSO; i++)
		pa_vdso_find(i);
}

/*
 * Is it execve() that maps, for the personality of the program? Not arch_prctl()
 * (map_vdso_once()), which can map any. load_elf_binary() sets end_code after
 * the vdso is mapped.
 */
static bool pa_vdso_in_exec(const struct mm_struct *mm)
{
	return !mm->end_code;
}

bool pa_ids_vdso(struct vm_area_struct *vma, struct pa_elf_id *id)
{
	const struct pa_vdso *vdso;
	const char *name = NULL;

	if (vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (!name || strcmp(name, "[vdso]") || !pa_vdso_in_exec(vma->vm_mm))
		return false;
	vdso = &pa_vdso[test_thread_flag(TIF_ADDR32) ? PA_VDSO_32 : PA_VDSO_64];
	if (!vdso->size || vdso->size != vma->vm_end - vma->vm_start)
		return false;
	*id = vdso->id;
	return true;
}

#else

void pa_ids_vdso_init(void)
{
}

bool pa_ids_vdso(struct vm_area_struct *vma, struct pa_elf_id *id)
{
	return false;
}
#endif
