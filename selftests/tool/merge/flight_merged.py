#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""flight_merged.py AUXREC MERGED SNAPSHOT...: check that a merged stream has what its snapshots
have, and each sample, span and gap only once. Print the differences."""

import collections
import functools
import json
import re
import subprocess
import sys


def run(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, text=True).stdout


@functools.lru_cache(None)
def records(name):
    return run(AUXREC, "info", "--records", name)


def samples(name):
    """Count the samples of cpu-clock, by their text."""
    return collections.Counter(m[1] for m in re.finditer(
        r"SAMPLE size \d+ (.* cpu-clock ip .*)", records(name)))


def spans(name):
    """Count the AUXTRACE records and the chunks, by time, queue and place."""
    found = collections.Counter(m.groups() for m in re.finditer(
        r"AUXTRACE size.* and (\d+) bytes, offset \S+ (reference \d+) idx \d+ "
        r"(tid \S+ cpu \S+)", records(name)) if m[1] != "16")
    found.update(m.groups() for m in re.finditer(
        r"(time \d+) (tid \d+ cpu \d+) .* span (\d+: \d+ at \d+ of \d+)",
        records(name)))
    return found


def gaps(name):
    return collections.Counter(m[1] for m in re.finditer(
        r"AUXTRACE_ERROR size .* (code .*)", records(name))
        if "cpu -1 tid -1" not in m[1])


def time_of(line):
    return int(re.search(r"time (\d+)", line)[1])


def compare(what, merged, parts):
    wanted = set().union(*parts)
    for x in sorted(wanted - set(merged))[:5]:
        print(f"{what} missing: {x}")
    for x in sorted(set(merged) - wanted)[:5]:
        print(f"{what} in no snapshot: {x}")
    for x, n in merged.items():
        most = max(p[x] for p in parts)
        if n > most:
            print(f"{what} {n} times, in a snapshot {most}: {x}")


AUXREC, MERGED = sys.argv[1:3]
FILES = sys.argv[3:]
marks = [json.loads(run(AUXREC, "info", "--json", f))["snapshots"][0] for f in FILES]


def covered(line):
    return any(m["begin"] <= time_of(line) <= m["settled"] for m in marks)


def only_covered(counter):
    return collections.Counter({x: n for x, n in counter.items() if covered(x)})


compare("sample", only_covered(samples(MERGED)), [only_covered(samples(f)) for f in FILES])
compare("span", spans(MERGED), [spans(f) for f in FILES])
compare("gap", gaps(MERGED), [gaps(f) for f in FILES])
print(f"# {sum(samples(MERGED).values())} samples, {sum(spans(MERGED).values())} spans,"
      f" {sum(gaps(MERGED).values())} gaps in {MERGED}", file=sys.stderr)
