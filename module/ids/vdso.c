// SPDX-License-Identifier: GPL-2.0-only
/*
 * Find the id of [vdso], an ELF image without a file. perf writes the record while
 * [vdso] is being mapped (map_vdso()), before mm->context tells of the image, so the
 * module must know the image in advance. The kernel has one image per ABI, in variables
 * that are not exported.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "event/function.h"
#include "ids/ids.h"

#ifdef CONFIG_X86_64
#include "compat/types.h"

enum pa_vdso_abi {
	PA_VDSO_64,
	PA_VDSO_32,
	PA_NR_VDSO,
};

static const char * const pa_vdso_symbols[PA_NR_VDSO] = {
	[PA_VDSO_64] = __stringify(pa_vdso_image_64),
	[PA_VDSO_32] = __stringify(pa_vdso_image_32),
};

PA_SAME_TYPE(pa_vdso_image_64, const struct vdso_image);
#ifdef CONFIG_IA32_EMULATION
PA_SAME_TYPE(pa_vdso_image_32, const struct vdso_image);
#endif

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

static void pa_vdso_find(enum pa_vdso_abi abi)
{
	struct pa_vdso_reader r = { .reader.read = pa_vdso_read };
	const struct vdso_image *image = pa_data(pa_vdso_symbols[abi]);

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
 * Return whether execve() maps the image. In that case the image is that of the program's
 * personality. With arch_prctl() (map_vdso_once()) a program can map any image.
 * load_elf_binary() sets end_code after the vdso is mapped.
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
