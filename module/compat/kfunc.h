/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels in functions that BPF programs can call. */
#ifndef PERFAUX_COMPAT_KFUNC_H
#define PERFAUX_COMPAT_KFUNC_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>

/* 6.9 ("bpf: treewide: Annotate BPF kfuncs in BTF") */
#ifndef PA_HAVE_BTF_KFUNCS
#define BTF_KFUNCS_START(name)	BTF_SET8_START(name)
#define BTF_KFUNCS_END(name)	BTF_SET8_END(name)
#endif

/* 6.3 ("bpf: Add __bpf_kfunc tag for marking kernel functions as kfuncs") */
#ifndef __bpf_kfunc
#define __bpf_kfunc		noinline
#endif

/*
 * The types of programs that may call the module's functions. From 6.3 on the kernel has a
 * hook for all types, with the name BPF_PROG_TYPE_UNSPEC. The module uses it from 6.9 on.
 */
static const enum bpf_prog_type pa_kfunc_types[] = {
#ifdef PA_HAVE_BTF_KFUNCS
	BPF_PROG_TYPE_UNSPEC,
#else
	BPF_PROG_TYPE_TRACING,
	BPF_PROG_TYPE_SYSCALL,
#endif
};

/* 7.0 removed the flag: it is the default for all functions. */
#ifndef KF_TRUSTED_ARGS
#define KF_TRUSTED_ARGS		0
#endif

/* Whether the module has BTF, without which programs cannot call its functions */
#ifdef CONFIG_DEBUG_INFO_BTF_MODULES
#define pa_module_has_btf(module)	((module)->btf_data_size > 0)
#else
#define pa_module_has_btf(module)	((void)(module), false)
#endif

/*
 * Return the memory of a dynptr and set @size, if the memory is in one piece: a
 * program's own memory, or a reserved record of BPF's ring buffer. Returns NULL
 * otherwise.
 *
 * __bpf_dynptr_data() and __bpf_dynptr_size() are not exported, and cannot be called
 * by their addresses where IBT is sealed. Bits of bpf_dynptr_kern.size are as in
 * kernel/bpf/helpers.c (DYNPTR_SIZE_MASK, DYNPTR_TYPE_SHIFT, DYNPTR_RDONLY_BIT). If a
 * kernel had the type elsewhere among the upper bits, neither of the two types would be
 * found.
 */
static inline const void *pa_dynptr_memory(const struct bpf_dynptr *dynptr,
					   u32 *size)
{
	const struct bpf_dynptr_kern *kern = (const void *)dynptr;
	u32 type;

	BUILD_BUG_ON(sizeof(kern->size) != sizeof(u32));
	type = kern->size >> 24 & 0x7f;
	if (!kern->data || (type != BPF_DYNPTR_TYPE_LOCAL << 4 &&
			    type != BPF_DYNPTR_TYPE_RINGBUF << 4))
		return NULL;
	*size = kern->size & GENMASK(23, 0);
	return kern->data + kern->offset;
}

#endif /* PERFAUX_COMPAT_KFUNC_H */
