#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""metrics_test.py STATUS: test the three forms of a flight recorder's status.

STATUS is the program status, which prints the status of a recorder that is made up. The test lets
Debian's promtool check the metrics, and compares the forms. It prints TAP.
"""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "../../..")
sys.path.insert(0, os.path.join(HERE, "../record"))
import tap                              # noqa: E402
from tap import result                  # noqa: E402

SAMPLE = re.compile(r'auxrec_(\w+)(?:\{(\w+)="((?:[^"\\]|\\[n"\\])*)"\})? ([0-9.]+)')
ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}


def status(form):
    """Return the status in this form."""
    return subprocess.run([sys.argv[1], form], check=True, capture_output=True, text=True).stdout


def parse(text):
    """Return (samples, types, problems) of a page of metrics.

    samples has a number for each (name, label, value of the label), types a type for each name.
    """
    samples, types, problems, done = {}, {}, [], []
    for line in text.splitlines():
        head = re.fullmatch(r"# (HELP|TYPE) auxrec_(\w+) (.+)", line)
        if head:
            if head[1] == "TYPE":
                types[head[2]] = head[3]
            continue
        sample = SAMPLE.fullmatch(line)
        if not sample:
            problems.append(f"not a metric: {line}")
            continue
        name = sample[1]
        value = re.sub(r'\\[n"\\]', lambda m: ESCAPES[m[0]], sample[3] or "")
        key = name, sample[2], value
        if key in samples:
            problems.append(f"twice: {key}")
        if name not in types:
            problems.append(f"no type before {line}")
        if name in done and done[-1] != name:
            problems.append(f"{name} is in two places")
        if name not in done:
            done.append(name)
        samples[key] = float(sample[4])
    return samples, types, problems


def expected(told):
    """Return the samples of the metrics as the JSON tells them, with the names without _total."""
    samples = {}
    columns = {
        "memory": {"bytes": "memory_bytes"}, "recorded": {"bytes": "recorded_bytes"},
        "lost": {"times": "lost", "bytes": "lost_bytes"},
        "triggers": {"taken": "triggers_taken", "suppressed": "triggers_suppressed"},
    }
    fixed = {
        "snapshots_written": ("snapshots", "result", "written"),
        "snapshots_failed": ("snapshots", "result", "failed"),
        "lost_main_ring_full": ("lost", "reason", "main ring full"),
        "lost_not_kept": ("lost", "reason", "not kept"),
    }
    for key, value in told.items():
        if key in ("version", "recording"):
            samples[f"{key}_info", key, value] = 1
        elif isinstance(value, list):
            for row in value:
                label = next(iter(row))
                for column, name in columns[key].items():
                    samples[name, label, row[label]] = row[column]
        elif not isinstance(value, str):
            samples[fixed.get(key, (key, None, ""))] = value
    return samples


def causes():
    """Return the names in the table of causes."""
    with open(os.path.join(TOP, "tool/stream/cause.c"), encoding="utf-8") as f:
        return re.findall(r'^\t\[PERFAUX_CAUSE_\w+\]\s*= "(.*)",$', f.read(), re.MULTILINE)


def promtool(*args, **more):
    """Run promtool. Return what subprocess.run() does."""
    tree = subprocess.run([os.path.join(TOP, "selftests/setup/promtool")], check=True,
                          capture_output=True, text=True).stdout.strip()
    return subprocess.run([os.path.join(tree, "promtool"), *args], capture_output=True,
                          text=True, check=False, **more)


def check_lint(page):
    run = promtool("check", "metrics", input=page)
    result("promtool has nothing to say about the metrics",
           f"status {run.returncode}: {run.stdout}{run.stderr}"
           if run.returncode or run.stdout or run.stderr else "")


def check_same(samples, types, told):
    without = {(re.sub("_total$", "", name), label, value): number
               for (name, label, value), number in samples.items()}
    want = expected(told)
    result("JSON and metrics tell the same facts",
           "\n".join(f"{key}: {want.get(key)} in JSON, {without.get(key)} in the metrics"
                     for key in sorted(set(want) | set(without), key=str)
                     if want.get(key) != without.get(key)))
    result("counters, and no others, end in _total",
           "\n".join(f"{name} is a {kind}" for name, kind in types.items()
                     if name.endswith("_total") != (kind == "counter")))


def check_losses(samples):
    reasons = {value: number for (name, _, value), number in samples.items()
               if name == "lost_total"}
    names = causes()
    why = [f"no {name}" for name in names
           if name not in reasons and name not in ("overwritten", "gap table full")]
    why += [f"{name} is no loss of its own" for name in ("overwritten", "gap table full")
            if name in reasons]
    if len(names) < 9:
        why.append(f"the table has only {names}")
    if reasons.get("main ring full") != 66 or reasons.get("raw ring full") != 401:
        why.append(str(reasons))
    if samples.get(("overwritten_bytes_total", None, "")) != 4003:
        why.append("overwritten bytes are not told")
    result("each cause of a loss is a reason", "\n".join(why))


def check_text(text):
    lines = text.splitlines()
    wanted = [
        "recording: 0xfaa8150baffb28f2", "recording since: 123 s", "memory limit: 65536 KiB",
        "short: 7.0 of 30.0 s, the memory is full of samples; -M 96M would do",
        "raw ring: 16388 KiB", "recorded by the main rings: 300 KiB",
        "recorded by the raw ring: 603 KiB", "snapshots: 11", "failed: 12", "waiting: 0",
        "suppressed: 201", "removed: 16", "lost records: 66", "not kept: 14",
        "lost raw ring full: 401 times, 4001 bytes", "forgotten maps: 17",
        'last: /snap?shots/"one"', "trigger socket-s: 1101 taken, 2102 suppressed",
        'trigger a"b\\c{d}: 103 taken, 104 suppressed',
    ]
    why = [f"no '{line}'" for line in wanted if line not in lines]
    why += [f"'{line}'" for line in lines if not re.match(r"[a-z].*: .", line) or
            line.startswith("lost larger than") or line.startswith("ok")]
    result("the text has a line for each fact", "\n".join(why))


def main():
    page, told = status("metrics"), json.loads(status("json"))
    samples, types, problems = parse(page)
    check_lint(page)
    result("each metric has one type, one place and no double", "\n".join(problems))
    check_same(samples, types, told)
    check_losses(samples)
    check_text(status("text"))
    result("names with quotes keep them",
           "" if samples.get(("triggers_taken_total", "trigger", 'a"b\\c{d}')) == 103 and
           told["last"] == '/snap\nshots/"one"' else page)
    most = 32768
    result("there is room for more triggers",
           "" if len(page) < most / 3 else f"{len(page)} bytes, of {most}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
