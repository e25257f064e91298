# SPDX-License-Identifier: GPL-2.0-only
"""Results of tests, printed as TAP."""

count = failed = 0


def result(name, why=""):
    """A test is over: passed, or failed because of why."""
    global count, failed
    count += 1
    failed += bool(why)
    print(f"{'not ok' if why else 'ok'} {count} {name}", flush=True)
    for line in str(why).splitlines():
        print(f"# {line}")


def skip(name, why):
    """A test cannot be made here, because of why."""
    global count
    count += 1
    print(f"ok {count} {name} # SKIP {why}", flush=True)


def end():
    """Has any failed? Prints how many tests there were."""
    print(f"1..{count}")
    return failed > 0
