# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a JSON report with the notes in the sources.

check_report.py [--gap=WORDS]... REPORT SOURCE...

A source line that ends in `// SITE allocs bytes [reallocs realloc_bytes]` must have exactly these counts, including
those of libraries on its behalf; `// SITE any` may have any. A line that ends in `// LIBRARY ...` calls a library that
allocates. The report may lack it without debug information, which is needed to find the calling line. The report must
have no other line of these files. It must be exact, or with --gap be inexact, with one reason per --gap that contains
WORDS, in order."""
import argparse
import collections
import json
import os
import re
import sys

COUNTERS = ("allocs", "alloc_bytes", "reallocs", "realloc_bytes")


def expected(sources):
    sites, of_libraries = {}, set()
    for source in sources:
        with open(source) as lines:
            for number, line in enumerate(lines, 1):
                mark = re.search(r"// (SITE|LIBRARY) ([\d ]+|any)$", line)
                if not mark:
                    continue
                place = os.path.basename(source), number
                counts = [] if mark.group(2) == "any" else [int(word) for word in mark.group(2).split()]
                sites[place] = counts + [0] * (4 - len(counts)) if counts else None
                if mark.group(1) == "LIBRARY":
                    of_libraries.add(place)
    return sites, of_libraries


def reported(report, sources):
    names = {os.path.basename(source) for source in sources}
    sites = collections.defaultdict(lambda: [0] * 4)
    for stack in report["stacks"]:
        call = stack["frames"][stack["line"]]
        name = os.path.basename(call["file"] or "")
        if name in names:
            counts = sites[name, call["line"]]
            for i, counter in enumerate(COUNTERS):
                counts[i] += stack[counter]
    return {place: counts for place, counts in sites.items() if any(counts)}


def same_exactness(report, gaps):
    reasons = report["inexact_reasons"]
    return (report["exact"] == (not gaps) and len(reasons) == len(gaps) and
            all(gap in reason for gap, reason in zip(gaps, reasons)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gap", action="append", default=[])
    parser.add_argument("report")
    parser.add_argument("sources", nargs="+")
    arguments = parser.parse_args()
    with open(arguments.report) as file:
        report = json.load(file)
    (want, of_libraries), got = expected(arguments.sources), reported(report, arguments.sources)
    want = {place: counts for place, counts in want.items() if place in got or place not in of_libraries}
    got = {place: want[place] if place in want and want[place] is None else counts for place, counts in got.items()}
    for place in sorted(want.keys() | got.keys()):
        if want.get(place) != got.get(place):
            print("%s:%d: expected %s, reported %s" % (*place, want.get(place), got.get(place)))
    told = same_exactness(report, arguments.gap)
    if not told:
        print("exact: %s, %s" % (report["exact"], report["inexact_reasons"]))
    return not (told and want and want == got)


sys.exit(main())
