/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harness.h: the kernel's kselftest_harness.h with more time for each test. Each program
 * that uses the harness is compiled with -include of this file.
 *
 * The harness kills a test after 30 s, or after the time that TEST_F_TIMEOUT() names. These
 * times are for an idle machine. A VM that waits for a processor of a busy host can exceed
 * them although nothing hangs. If a suite hangs, run-tap ends it.
 */
#ifndef _SELFTESTS_HARNESS_H
#define _SELFTESTS_HARNESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kselftest_harness.h"
#include "rounds.h"

#define PATIENCE 4

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT (30 * PATIENCE)

#undef TEST_F_TIMEOUT
#define TEST_F_TIMEOUT(fixture, test, seconds) \
	__TEST_F_IMPL(fixture, test, -1, (seconds) * PATIENCE)

#endif
