/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols that have other names in other kernels, and whose types are compared. */
#ifndef PERFAUX_COMPAT_TYPES_H
#define PERFAUX_COMPAT_TYPES_H

#include <linux/buildid.h>
#ifdef CONFIG_X86_64
#include <asm/vdso.h>
#endif

/* 6.12 ("lib/buildid: rename build_id_parse() into build_id_parse_nofault()") */
#ifdef PA_HAVE_BUILD_ID_NOFAULT
#define pa_build_id_parser	build_id_parse_nofault
#else
#define pa_build_id_parser	build_id_parse
#endif

/* 7.0 ("x86/entry/vdso: Rename vdso_image_* to vdso*_image") */
#ifdef PA_HAVE_VDSO64_IMAGE
#define pa_vdso_image_64	vdso64_image
#define pa_vdso_image_32	vdso32_image
#else
#define pa_vdso_image_64	vdso_image_64
#define pa_vdso_image_32	vdso_image_32
#endif

#endif /* PERFAUX_COMPAT_TYPES_H */
