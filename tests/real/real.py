# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Real programs, built with and without allocsite: the same output, and totals equal to valgrind's, to the unit.

valgrind observes the plain build, so allocsite cannot influence the reference. It is built without -g, because valgrind
3.19 aborts on clang's DWARF 5."""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys

HEAP_USAGE = re.compile(r"in use at exit: ([\d,]+) bytes in ([\d,]+) blocks.*"
                        r"total heap usage: ([\d,]+) allocs, ([\d,]+) frees, ([\d,]+) bytes allocated", re.DOTALL)
# Values that both sides report for a run. A realloc is an allocation and a free.
USAGE = "blocks allocated", "bytes allocated", "blocks freed", "blocks in use at exit", "bytes in use at exit"


class Failure(Exception):
    pass


def run(command, directory=None, environment=None, log=None):
    """Runs to success; the output goes to `log` if named, which keeps thousands of compiler lines out of ctest's
    output."""
    with open(log, "w") if log else open(os.devnull, "w") as out:
        status = subprocess.call(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=subprocess.STDOUT)
    if status != 0:
        tail = open(log).read()[-3000:] if log else ""
        raise Failure(f"{' '.join(command)}: exit status {status}\n{tail}")


def library(source, directory):
    """Builds a helper of this folder for preloading, and returns its path."""
    path = os.path.join(directory, os.path.basename(source) + ".so")
    run(["cc", "-O2", "-w", "-shared", "-fPIC", os.path.join(os.path.dirname(os.path.abspath(__file__)), source),
         "-o", path], log=path + ".log")
    return path


def environment_of(directory, **changed):
    """Returns equal conditions for every run. Files of an earlier run in the temporary directory may cost allocations,
    and so may an additional variable, because setenv copies them all. valgrind sets the last three."""
    temporary = os.path.join(directory, "tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    os.makedirs(temporary)
    same = dict(TMPDIR=temporary, TEST_TMPDIR=temporary, ALLOCSITE_OPTIONS="enabled=0", LD_PRELOAD="", OBSERVER="-",
                GLIBCPP_FORCE_NEW="1", GLIBCXX_FORCE_NEW="1", LD_LIBRARY_PATH="")
    return {**os.environ, **same, **changed}


def outcome(command, directory):
    """Returns the user-visible result of a run: status, standard output, standard error."""
    done = subprocess.run(command, cwd=directory, env=environment_of(directory), stdin=subprocess.DEVNULL,
                          capture_output=True)
    return done.returncode, done.stdout, done.stderr


def valgrind_usage(command, directory):
    """Returns USAGE as valgrind counted it."""
    log = os.path.join(directory, "valgrind.log")
    environment = environment_of(directory, LD_PRELOAD=library("tls.c", directory))
    subprocess.run(["valgrind", "--run-libc-freeres=no", "--run-cxx-freeres=no", "--child-silent-after-fork=yes",
                    f"--log-file={log}"] + command,
                   cwd=directory, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    match = HEAP_USAGE.search(open(log).read())
    if not match:
        raise Failure(f"valgrind gave no heap summary of {' '.join(command)}:\n{open(log).read()[-2000:]}")
    live_bytes, live_blocks, allocated, freed, size = (int(number.replace(",", "")) for number in match.groups())
    return allocated, size, freed, live_blocks, live_bytes


def allocsite_report(command, directory):
    """Returns the outcome of an instrumented run, and its report (its children write their own)."""
    pattern = os.path.join(directory, "report.%p.json")
    environment = environment_of(directory, ALLOCSITE_OPTIONS=f"format=json:report={pattern}")
    process = subprocess.Popen(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.communicate()
    with open(pattern.replace("%p", str(process.pid))) as report:
        return (process.returncode, output, errors), json.load(report)


def observer_usage(command, directory):
    """Returns USAGE as the tests' own malloc counted it, for programs that behave differently under valgrind."""
    prefix = os.path.join(directory, "observed")
    preload = ":".join(library(source, directory) for source in ("../rt/observer.c", "tls.c", "new.c"))
    process = subprocess.Popen(command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL,
                               env=environment_of(directory, LD_PRELOAD=preload, OBSERVER=prefix))
    process.wait()
    with open(f"{prefix}.{process.pid}") as counts:
        allocs, alloc_bytes, reallocs, realloc_bytes, _, frees, freed_bytes, old_bytes = map(int, counts.read().split())
    return (allocs + reallocs, alloc_bytes + realloc_bytes, frees + reallocs, allocs - frees,
            alloc_bytes + realloc_bytes - freed_bytes - old_bytes)


def pid_length():
    process = subprocess.Popen(["true"])
    process.wait()
    return len(str(process.pid))


def same_pid_length(*runs):
    """Returns the runs' results, from processes whose ids have equal length: a longer id in a string may need an
    allocation."""
    while True:
        before = pid_length()
        results = [run() for run in runs]
        if pid_length() == before:
            return results


def differing_lines(*values):
    """Returns the lines in which two outputs or statuses differ, at most 20."""
    lines = ([ascii(line) for line in value.splitlines()] if isinstance(value, bytes) else [str(value)] for value in values)
    return "\n".join(list(difflib.unified_diff(*lines, n=0, lineterm=""))[:20])


def compare(name, plain, instrumented, arguments, directory, usage=valgrind_usage):
    """Raises unless both builds behave alike and allocsite's totals equal the reference."""
    expected = outcome([plain] + arguments, directory)
    (seen, report), reference = same_pid_length(lambda: allocsite_report([instrumented] + arguments, directory),
                                                lambda: usage([plain] + arguments, directory))
    for what, left, right in zip(("exit status", "standard output", "standard error"), expected, seen):
        if left != right:
            raise Failure(f"{name}: {what} differs:\n{differing_lines(left, right)}")
    totals = report["totals"]
    ours = (totals["allocs"] + totals["reallocs"], totals["alloc_bytes"] + totals["realloc_bytes"],
            totals["frees"] + totals["moved"], totals["live_blocks"], totals["live_bytes"])
    if not report["exact"]:
        raise Failure(f"{name}: not exact: {report['inexact_reasons']}")
    if report["faults"]:
        raise Failure(f"{name}: faults: {report['faults']}")
    for counter in totals:
        if sum(site[counter] for site in report["sites"]) != totals[counter]:
            raise Failure(f"{name}: the sites' {counter} do not add up to the total")
    sited = sum(site["allocs"] + site["reallocs"] for site in report["sites"] if site["sited"])
    print(f"{name}: {', '.join(f'{count} {what}' for count, what in zip(ours, USAGE))} "
          f"({100 * sited / max(ours[0], 1):.1f}% sited), against {usage.__name__.split('_')[0]}", flush=True)
    if ours != reference:
        raise Failure(f"{name}: expected {', '.join(map(str, reference))}")


def main(check):
    """Runs check(), which yields once per comparison."""
    try:
        done = sum(1 for _ in check())
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
    print(f"{done} programs agree")
