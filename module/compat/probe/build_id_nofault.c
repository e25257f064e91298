// SPDX-License-Identifier: GPL-2.0-only
/* Probe: build_id_parse_nofault() exists (6.12). */
#include <linux/buildid.h>
#include <linux/mm_types.h>

typeof(build_id_parse_nofault) *probe_parser;
