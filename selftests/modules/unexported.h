/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses of functions that the kernel does not export. */
#ifndef UNEXPORTED_H
#define UNEXPORTED_H

#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

/*
 * Find a function that drivers call and that is not exported, because those drivers
 * are never modules. A kprobe that is not armed tells its address. Returns an
 * ERR_PTR() if the function does not exist.
 */
static inline void *unexported(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long offset;
	void *at;
	int ret = register_kprobe(&probe);

	if (ret)
		return ERR_PTR(ret);
	at = probe.addr;
	unregister_kprobe(&probe);
	/*
	 * The probe's address is after ENDBR, but an indirect call must go to the
	 * ENDBR.
	 */
	sprint_symbol(symbol, (unsigned long)at);
	if (!str_has_prefix(symbol, name) ||
	    sscanf(symbol + strlen(name), "+%lx/", &offset) != 1)
		return ERR_PTR(-ENOENT);
	return at - offset;
}

#endif /* UNEXPORTED_H */
