// SPDX-License-Identifier: GPL-2.0-only
#include <linux/module.h>

void *probe(struct module *mod);
void *probe(struct module *mod)
{
	return mod->mem[MOD_TEXT].base + mod->mem[MOD_TEXT].size;
}
