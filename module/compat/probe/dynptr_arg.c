// SPDX-License-Identifier: GPL-2.0-only
/*
 * 6.11 ("bpf: treewide: Align kfunc signatures to prog point-of-view"): a struct
 * bpf_dynptr that a function takes is one to the verifier. Before, it took any memory
 * of that size for it (btf_check_func_arg_match()).
 */
#include <linux/bpf.h>

int (*probe_dynptr)(struct __sk_buff *, u64, struct bpf_dynptr *) =
	bpf_dynptr_from_skb_rdonly;
