# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With owners=0 only allocations are counted: as exactly as otherwise, with fewer instructions."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counted import LINKS, PROGRAMS, per_pair
from harness import *

OPTIONS = "owners=0:format=json:report=%e.%p.json"
REASON = "owners=0: frees were not counted, so live blocks and the peak are unknown"
# Maximum of added instructions for a call and its free; for realloc, which updates two more counters, for itself.
GOALS = {"malloc": 25, "new_sized": 25, "new_array": 25, "calloc": 25, "strdup": 25, "realloc": 35}


def counted():
    """Added instructions per pair, which do not depend on the machine."""
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    pairs = os.path.join(HERE, "..", "..", "bench", "programs", "pairs.cpp")
    plain, sited = (build(pairs, kind, "-fsized-deallocation", plain=kind == "plain") for kind in ("plain", "sited"))
    for kind, goal in GOALS.items():
        added = per_pair(sited, kind, "owners=0:report=none") - per_pair(plain, kind, "owners=0")
        expect(f"instructions added to {kind}: at most {goal}, not {added}", True, 0 < added <= goal)


def rows(report):
    return sorted([site["id"], site["module"], site["callee"], *(site[counter] for counter in COUNTERS)] for site in report["sites"]
                  if any(site[counter] for counter in COUNTERS))


def compare(what, program, environment={}):
    """Each site has the same counts as with owners."""
    with_owners = run([program], environment=environment)
    want = rows(report_of(with_owners))
    process = run([program], OPTIONS, environment=environment)
    report = report_of(process)
    expect(f"{what}, behaviour", (with_owners.returncode, with_owners.out, with_owners.err),
           (process.returncode, process.out, process.err))
    expect(f"{what}, reasons", True, REASON in report["inexact_reasons"])
    expect(f"{what}, rows", want, rows(report))
    expect(f"{what}, what went", (0, 0, 0), tuple(report["totals"][name] for name in ("frees", "moved", "realloc_old_bytes")))


def programs():
    """However the programs are linked."""
    for number, link in enumerate(LINKS):
        for name, options in PROGRAMS.items():
            program = build(os.path.join(HERE, "..", name), f"{os.path.basename(name)}.{number}", *options, *link)
            compare(f"{name} {link}", program)


def allocators():
    """With another allocator before or behind the runtime."""
    source_name = os.path.join(HERE, "..", "process", "threads.cpp")
    for library in allocator_libraries():
        compare(f"preloaded {library}", build(source_name, "threads"), {"LD_PRELOAD": library})
        compare(f"linked {library}", build(source_name, "linked", "-Wl,--no-as-needed", library))


def forks():
    """Each child counts its own allocations."""
    for link in LINKS:
        program = build(os.path.join(HERE, "..", "process", "forks.c"), "forks", *link)
        run([program])
        want = sorted(map(rows, all_reports()))
        run([program], OPTIONS)
        have = all_reports()
        expect(f"{link}, processes", True, len(have) > 1)
        expect(f"{link}, rows of all", want, sorted(map(rows, have)))
        expect(f"{link}, inherited", {0}, {report["totals"]["inherited_blocks"] for report in have})


def dump(*arguments):
    process = subprocess.run([f"{BIN}/allocsite-dump", *arguments], capture_output=True, text=True)
    return process.returncode, process.stdout, process.stderr


def told():
    """Unknown values are not shown, and a request for one explains why."""
    program = build(os.path.join(HERE, "..", "process", "plain.c"), "plain")
    process = run([program], "owners=0:profile=plain.profile")
    head = next(line for line in process.err.splitlines() if line.lstrip().startswith("bytes"))
    expect("columns", "bytes bytes% allocs reallocs site", " ".join(head.split()))
    expect("live", 1, process.err.count("\nlive and peak: not counted\n"))
    expect("reason", 1, process.err.count(f"\nexact: no, {REASON}\n"))
    for file in ("plain.profile",):
        for arguments in (), ("--by=function",), ("--format=markdown",):
            status, out, err = dump("report", *arguments, file)
            expect(f"{file} {arguments}", (0, "", True), (status, err, "live and peak: not counted" in out))
        why = f"allocsite-dump: {file}: was counted without the owners of blocks: {REASON}\n"
        for arguments in ("--leaks",), ("--sort=peak",), ("--by=function", "--sort=live"), ("--by=file", "--leaks"):
            expect(f"{file} {arguments}", (1, "", why), dump("report", *arguments, file))
        for limit, complaint in ("total live <= 1 GiB", why), ("total allocs <= 100000", ""):
            with open("budget", "w") as budget:
                budget.write(limit + "\n")
            status, _, err = dump("check", "--budget=budget", file)
            expect(f"{file}, {limit}", (bool(complaint), complaint), (status, err))
        status, out, err = dump("top", "--once", file)
        expect(f"{file}, top", (0, ""), (status, err))
        expect(f"{file}, live and peak in top", {"-"}, {" ".join(line.split("  ")[-3:-1]).split()[-1] for line in out.splitlines()[4:]} or {"-"})


def refused():
    """Options that need owners enable them."""
    program = build(os.path.join(HERE, "..", "process", "plain.c"), "plain")
    for option in "pairs=1", "sizes=1", "reach=1", "leaks=1", "stack=4", "sort=live", "sort=peak":
        process = run([program], f"{OPTIONS}:{option}")
        expect(option, "allocsite: option ignored: owners=0: other options need the owners of blocks\n", process.err)
        expect(f"{option}, reasons", [], json.load(open(f"plain.{process.pid}.json"))["inexact_reasons"])


main([counted, programs, allocators, forks, told, refused])
