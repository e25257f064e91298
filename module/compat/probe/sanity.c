// SPDX-License-Identifier: GPL-2.0-only
/* Probe that must compile: otherwise no other probe's failure means anything. */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/perf_event.h>
