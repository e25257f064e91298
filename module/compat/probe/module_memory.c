// SPDX-License-Identifier: GPL-2.0-only
/* Probe: struct module has mem[] instead of core_layout (6.4). */
#include <linux/module.h>

void *probe(struct module *mod);
void *probe(struct module *mod)
{
	return mod->mem[MOD_TEXT].base + mod->mem[MOD_TEXT].size;
}
