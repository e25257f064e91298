#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: fuzz_seeds.py DIR: the test streams, as a corpus for fuzz_check."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases            # noqa: E402
import streamgen as g   # noqa: E402

os.makedirs(sys.argv[1], exist_ok=True)
streams = [build() for _, _, build in cases.CASES] + \
    [g.dump(build()) for _, build in cases.VALID]
for i, data in enumerate(streams):
    with open(os.path.join(sys.argv[1], f"seed-{i}"), "wb") as f:
        f.write(data)
