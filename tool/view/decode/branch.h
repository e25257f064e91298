/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The branch at the end of a block.
 */
#ifndef VIEW_BRANCH_H
#define VIEW_BRANCH_H

#include <intel-pt.h>

#include "view/decode/code.h"

/*
 * If an instruction in 64-bit mode is a branch, set @b->kind and @b->target. Return false if its
 * bytes do not match the class that libipt reports.
 */
bool branch_read(const struct pt_insn *insn, struct code_block *b);

#endif /* VIEW_BRANCH_H */
