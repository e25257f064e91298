// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel does not export, by name: functions and data. */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "event/function.h"

/*
 * The address of a function that is not exported: a kprobe knows it, but for the
 * ENDBR that may be before the probed instruction. Returns -ENOMEM or -EOPNOTSUPP if
 * it is not to be had.
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
 * The address of data, or NULL. register_kprobe() looks the symbol up and then refuses the
 * address, because it is no code, but leaves it in the structure. Process context.
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
 * By address if it is to be had: for a name ftrace asks kallsyms for that of each function
 * that can be traced (match_records()), and kallsyms goes through all symbols of a module
 * for each of its functions (find_kallsyms_symbol()). With a module like xfs that takes
 * seconds, and minutes on an emulated machine. ftrace_location() finds the place to patch,
 * behind the ENDBR. By name where kallsyms calls the function something else: an alias.
 *
 * Returns 0 or -errno. 0 also if there was no memory for the one entry (match_records()).
 * Process context.
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
