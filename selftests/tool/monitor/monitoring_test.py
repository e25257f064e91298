#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""monitoring_test.py STATUS AUXREC: test packaging/examples, which monitor flight recorders.

STATUS is the program status, a recorder that is made up. Its metrics must have the names and labels
that the dashboard asks for, and the service's command must write them to a file. The test prints
TAP.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import metrics_test                     # noqa: E402
from metrics_test import tap            # noqa: E402
from metrics_test import result         # noqa: E402

EXAMPLES = os.path.join(HERE, "../../../packaging/examples")
SELECTOR = re.compile(r"(auxrec_\w+)(?:\{([^}]*)\})?")


def read(name):
    with open(os.path.join(EXAMPLES, name), encoding="utf-8") as f:
        return f.read()


def targets(dashboard):
    """Return (title, expression, legend) of each query of the dashboard."""
    return [(panel["title"], target["expr"], target["legendFormat"])
            for panel in dashboard["panels"] for target in panel["targets"]]


def check_names(dashboard, samples):
    labels = {}
    for name, label, value in samples:
        labels.setdefault(name, {}).setdefault(label, set()).add(value)
    why = []
    for title, expr, legend in targets(dashboard):
        of_legend = set(re.findall(r"\{\{(\w+)\}\}", legend)) - {"instance"}
        has = set()
        for name, selector in SELECTOR.findall(expr):
            if name.removeprefix("auxrec_") not in labels:
                why.append(f"{title}: there is no metric {name}")
                continue
            known = labels[name.removeprefix("auxrec_")]
            has |= set(known)
            for label, value in re.findall(r'(\w+)="([^"]*)"', selector):
                if value not in known.get(label, ()):
                    why.append(f"{title}: {name} has no {label}={value}")
        why += [f"{title}: no label {label}" for label in of_legend - has]
    for variable in dashboard["templating"]["list"][1:]:
        for name in re.findall(r"auxrec_(\w+)", variable["query"]):
            if name not in labels:
                why.append(f"variable {variable['name']}: there is no metric auxrec_{name}")
    if len(targets(dashboard)) < 10:
        why.append("the dashboard has too few queries")
    result("the dashboard asks for metrics and labels that exist", "\n".join(why))


def check_queries(dashboard, scratch):
    """Have promtool parse each query, as the expression of a rule."""
    path = os.path.join(scratch, "rules.yml")
    rules = [{"record": "one", "labels": {"nr": str(i)},
              "expr": expr.replace("$__rate_interval", "1m").replace("$instance", ".*")}
             for i, (_, expr, _) in enumerate(targets(dashboard))]
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, f)
    run = metrics_test.promtool("check", "rules", path)
    wanted = f"SUCCESS: {len(rules)} rules found"
    result("promtool can read each query of the dashboard",
           f"{run.returncode}: {run.stdout}{run.stderr}"
           if run.returncode or wanted not in run.stdout else "")


def check_units(scratch):
    if not shutil.which("systemd-analyze"):
        tap.skip("systemd has nothing to say about the units", "there is no systemd-analyze")
        return
    run = subprocess.run(["systemd-analyze", "verify", "--man=no",
                          *(os.path.join(EXAMPLES, f"auxrec-metrics.{kind}")
                            for kind in ("service", "timer"))],
                         capture_output=True, text=True, check=False,
                         env={**os.environ, "XDG_RUNTIME_DIR": scratch})
    said = [line for line in (run.stdout + run.stderr).splitlines() if "auxrec-metrics" in line]
    result("systemd has nothing to say about the units",
           "\n".join(said + [f"status {run.returncode}"]) if run.returncode or said else "")


def command():
    """Return the script of the service's ExecStart=, with the program under test."""
    text = read("auxrec-metrics.service").replace("\\\n", " ")
    script = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", text, re.MULTILINE)[1]
    return script.replace("/usr/local/bin/auxrec", os.path.abspath(sys.argv[2]))


def check_command(scratch):
    socket, there = os.path.join(scratch, "s"), os.path.join(scratch, "dir")
    os.mkdir(there)
    why = []

    def collect(want):
        run = subprocess.run(["/bin/sh", "-c", command()], capture_output=True, text=True,
                             check=False, umask=0o022,
                             env={**os.environ, "SOCKET": socket, "DIRECTORY": there})
        if (run.returncode == 0) != bool(want) or os.listdir(there) != want:
            why.append(f"status {run.returncode}, files {os.listdir(there)}: {run.stderr}")

    with subprocess.Popen([sys.argv[1], "serve", socket], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as recorder:
        if recorder.stdout.readline() != "ready\n":
            why.append("no socket")
        collect(["auxrec.prom"])
        with open(os.path.join(there, "auxrec.prom"), encoding="utf-8") as f:
            if f.read() != metrics_test.status("metrics"):
                why.append("the file differs from the metrics")
        if os.stat(os.path.join(there, "auxrec.prom")).st_mode & 0o777 != 0o644:
            why.append("node_exporter may not read the file")
        recorder.stdin.close()
    collect([])
    result("the service writes the metrics, and removes them when the recorder has ended",
           "\n".join(why))


def check_many(scratch):
    """Each thread can have a trigger, so there can be many."""
    socket = os.path.join(scratch, "many")
    why = []
    with subprocess.Popen([sys.argv[1], "serve", socket, "1500"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as recorder:
        recorder.stdout.readline()
        for form in (["metrics"], ["status"], ["--json", "status"]):
            run = subprocess.run([sys.argv[2], "ctl"] + form[:-1] + [socket, form[-1]],
                                 capture_output=True, text=True, check=False)
            if run.returncode or run.stdout.count("hang-1001499_5s") < 1:
                why.append(f"{form}: status {run.returncode}, {run.stderr}")
        recorder.stdin.close()
    result("a recorder with 1500 triggers answers", "\n".join(why))


def main():
    samples, _, _ = metrics_test.parse(metrics_test.status("metrics"))
    dashboard = json.loads(read("auxrec-dashboard.json"))
    with tempfile.TemporaryDirectory() as scratch:
        check_names(dashboard, samples)
        check_queries(dashboard, scratch)
        check_units(scratch)
        check_command(scratch)
        check_many(scratch)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
