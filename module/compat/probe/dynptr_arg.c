// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probe: the verifier knows that an argument of type struct bpf_dynptr is a dynptr.
 *
 * 6.11 ("bpf: treewide: Align kfunc signatures to prog point-of-view"). Before 6.11 the
 * verifier accepted any memory of that size (btf_check_func_arg_match()).
 */
#include <linux/bpf.h>

int (*probe_dynptr)(struct __sk_buff *, u64, struct bpf_dynptr *) =
	bpf_dynptr_from_skb_rdonly;
