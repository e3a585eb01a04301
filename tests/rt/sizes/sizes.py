# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sizes=1 and pairs=1 do not change other counts and cost few instructions."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counted import LINKS, PROGRAMS, per_pair
from harness import *

OPTIONS = "format=json:report=%e.%p.json"
# Maximum of instructions that sizes=1 and pairs=1 add to a call and its free.
KINDS = "malloc", "malloc_40000", "strdup", "new_sized", "new_aligned"
GOALS = {"sizes=1": 17, "pairs=1": 60}


def counted():
    """Added instructions per pair, which do not depend on the machine."""
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    program = build(os.path.join(HERE, "..", "..", "bench", "programs", "pairs.cpp"), "pairs", "-fsized-deallocation",
                    "-fallocsite-contexts=0")
    for kind in KINDS:
        without = per_pair(program, kind, "report=none")
        for option, goal in GOALS.items():
            added = per_pair(program, kind, option + ":report=none") - without
            expect(f"instructions that {option} adds to {kind}: at most {goal}, not {added}", True, 0 < added <= goal)


def check_sizes(what, site):
    """The classes count each allocation once, and its bytes are within their bounds."""
    blocks, size = site["allocs"] + site["reallocs"], site["alloc_bytes"] + site["realloc_bytes"]
    sizes = site.get("sizes", [])  # none where all calls failed
    expect(f"{what}: sizes of line {site['line']}", blocks, sum(row[-1] for row in sizes))
    least = sum(row[0] * row[-1] for row in sizes)
    most = sum(max(2 * row[0] - 1, 0) * row[-1] for row in sizes)
    expect(f"{what}: bytes of line {site['line']} within {least} and {most}", True, least <= size <= most)


def rows(report):
    return sorted([site["id"], site["module"], site["callee"], *(site[counter] for counter in COUNTERS), site["frees"], site["moved"],
                   site["live_bytes"]] for site in report["sites"] if any(site[counter] for counter in COUNTERS))


def compare(what, program, environment={}):
    without = run([program], OPTIONS, environment=environment)
    want = rows(report_of(without))
    for options in SWITCHES:
        process = run([program], OPTIONS + options, environment=environment)
        report = report_of(process)
        expect(f"{what}{options}, behaviour", (without.returncode, without.out, without.err),
               (process.returncode, process.out, process.err))
        expect(f"{what}{options}, rows", want, rows(report))
        for site in report["sites"]:
            check_sizes(f"{what}{options}", site)


SWITCHES = [":sizes=1"]


def programs():
    """However the programs are linked."""
    for number, link in enumerate(LINKS):
        # Static programs do not know which site freed an exception, so pairs are not compared there.
        SWITCHES[1:] = [] if "-static" in link else [":sizes=1:pairs=1"]
        for name, options in PROGRAMS.items():
            compare(f"{name} {link}", build(os.path.join(HERE, "..", name), f"{os.path.basename(name)}.{number}", *options, *link))


def allocators():
    """With another allocator before or behind the runtime."""
    for library in allocator_libraries():
        threads = os.path.join(HERE, "..", "process", "threads.cpp")
        compare(f"preloaded {library}", build(threads, "threads"), {"LD_PRELOAD": library})
        linked = "-Wl,--no-as-needed", library
        compare(f"linked {library}", build(threads, "linked", *linked))
        check_entries(f"linked {library}", build("entries.cpp", "entries_linked", *ENTRIES, *linked), unknown="(n, align")


ENTRIES = "-fallocsite-contexts=0", "-faligned-allocation", "-fno-builtin"


def check_entries(what, program, options="", unknown=None):
    """unknown: in lines of calls that have no site: an operator new of another library calls malloc itself."""
    text = open(source("entries.cpp")).read().splitlines()
    process = run([program], f"{OPTIONS}:sizes=1{options}")
    report = report_of(process)
    expect(f"{what}: status", (0, "", []), (process.returncode, process.err, report["inexact_reasons"]))
    have = sorted([site["line"], row[0], row[-1]] for site in report["sites"] if site["sited"] for row in site.get("sizes", []))
    books = [list(map(int, row.split())) for row in process.out.splitlines()]
    expect(f"{what}: sizes", *([row for row in rows if not unknown or unknown not in text[row[0] - 1]] for rows in (books, have)))
    for site in report["sites"]:
        check_sizes(what, site)


def entries():
    """Every function, compared with the program's books; each size is in one class, with any other counts enabled."""
    for link in LINKS:
        program = build("entries.cpp", "entries", *ENTRIES, *link)
        for options in "", ":pairs=1", ":lifetime=1", ":temporary=1", ":stack=4":
            check_entries(f"{link}{options}", program, options)


def unsited():
    """A program that passes no sites has the same sum."""
    program = build("entries.cpp", "plain", "-std=c++17", "-fno-builtin", plain=True)
    preloaded = {"LD_PRELOAD": os.path.join(LIB, "liballocsite.so")}
    process = run([program], f"{OPTIONS}:sizes=1", environment=preloaded)
    sums = collections.Counter()
    for site in report_of(process)["sites"]:
        check_sizes("unsited", site)
        for row in site["sizes"]:
            sums[row[0]] += row[-1]
    books = collections.Counter()
    for _, start, count in (map(int, row.split()) for row in process.out.splitlines()):
        books[start] += count
    expect("unsited: status", 0, process.returncode)
    expect("unsited: sizes", {}, dict(books - sums))
    expect("unsited: what the C library took besides", True, sum((sums - books).values()) < 10)


main([counted, programs, allocators, entries, unsited])
