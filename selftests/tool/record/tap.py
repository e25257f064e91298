# SPDX-License-Identifier: GPL-2.0-only
"""Print the results of tests as TAP."""

count = failed = 0


def result(name, why=""):
    """Print the result of a test: passed, or, with a reason, failed."""
    global count, failed
    count += 1
    failed += bool(why)
    print(f"{'not ok' if why else 'ok'} {count} {name}", flush=True)
    for line in str(why).splitlines():
        print(f"# {line}")


def skip(name, why):
    """Print that a test cannot run here, and the reason."""
    global count
    count += 1
    print(f"ok {count} {name} # SKIP {why}", flush=True)


def end():
    """Print the plan. Return whether a test has failed."""
    print(f"1..{count}")
    return failed > 0
