// SPDX-License-Identifier: GPL-2.0-only
/*
 * The version and the commit of auxrec, which the Makefile passes.
 *
 * They are in a file of their own, so that make does not compile other files again after a commit.
 */
#include "base/version.h"

/* Checkers and fuzzers compile the file without these macros. */
#ifndef AUXREC_VERSION
#define AUXREC_VERSION	"unknown"
#define AUXREC_COMMIT	"unknown"
#endif

const char auxrec_version[] = AUXREC_VERSION;
const char auxrec_commit[] = AUXREC_COMMIT;
