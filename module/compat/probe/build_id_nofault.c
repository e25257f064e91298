// SPDX-License-Identifier: GPL-2.0-only
#include <linux/buildid.h>
#include <linux/mm_types.h>

typeof(build_id_parse_nofault) *probe_parser;
