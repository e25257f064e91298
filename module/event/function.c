// SPDX-License-Identifier: GPL-2.0-only
/* Find functions and data that the kernel does not export, by name. */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "event/function.h"

/*
 * Return the address of a function that is not exported. A kprobe knows the address,
 * except that an ENDBR may be before the probed instruction. Returns
 * ERR_PTR(-ENOMEM) or ERR_PTR(-EOPNOTSUPP) if the address cannot be found.
 */
void *pa_function(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	char symbol[KSYM_SYMBOL_LEN], *plus;
	unsigned long at, offset;
	int ret = register_kprobe(&probe);

	if (ret)
		return ERR_PTR(ret == -ENOMEM ? ret : -EOPNOTSUPP);
	at = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	sprint_symbol(symbol, at);
	plus = strchr(symbol, '+');
	if (!plus || plus - symbol != strlen(name) ||
	    strncmp(symbol, name, plus - symbol) ||
	    sscanf(plus, "+%lx/", &offset) != 1)
		return ERR_PTR(-EOPNOTSUPP);
	return (void *)(at - offset);
}

/*
 * Return the address of data, or NULL. register_kprobe() looks the symbol up. Then it refuses
 * the address, because it is not code, but leaves the address in the structure. Process
 * context.
 */
const void *pa_data(const char *name)
{
	struct kprobe probe = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};

	if (!register_kprobe(&probe)) {
		unregister_kprobe(&probe);
		return NULL;
	}
	return probe.addr;
}

/*
 * Make @ops trace the function @name only. The filter is set by address if possible: to set it
 * by name, ftrace asks kallsyms for the name of each function that can be traced
 * (match_records()), and for each function of a module kallsyms goes through all symbols of
 * that module (find_kallsyms_symbol()). With a module like xfs this takes seconds, and minutes
 * on an emulated machine. ftrace_location() finds the place to patch, after the ENDBR. The
 * filter is set by name if kallsyms has another name for the function (an alias).
 *
 * Returns 0 or -errno. Returns 0 also if there was no memory for the one entry
 * (match_records()). Process context.
 */
int pa_function_filter(struct ftrace_ops *ops, const char *name)
{
	void *at = pa_function(name);

	if (!IS_ERR(at))
		return ftrace_set_filter_ip(ops, (unsigned long)at, 0, 1);
	if (PTR_ERR(at) == -ENOMEM)
		return -ENOMEM;
	return ftrace_set_filter(ops, (unsigned char *)name, strlen(name), 1);
}
