# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a JSON report with what the sources say.

check_report.py REPORT SOURCE...

A source line that ends in `// SITE allocs bytes [reallocs realloc_bytes]` is one site with exactly these counts,
summed over the copies that inlining made of it. The report must be exact and have no other site in these files.
"""
import collections
import json
import os
import re
import sys

COUNTERS = ("allocs", "alloc_bytes", "reallocs", "realloc_bytes")


def expected(sources):
    sites = {}
    for source in sources:
        with open(source) as lines:
            for number, line in enumerate(lines, 1):
                mark = re.search(r"// SITE ([\d ]+)$", line)
                if mark:
                    counts = [int(word) for word in mark.group(1).split()]
                    sites[os.path.basename(source), number] = counts + [0] * (4 - len(counts))
    return sites


def reported(report, sources):
    names = {os.path.basename(source) for source in sources}
    sites = collections.defaultdict(lambda: [0] * 4)
    for site in report["sites"]:
        name = os.path.basename(site["file"] or "")
        if site["sited"] and name in names:
            counts = sites[name, site["line"]]
            for i, counter in enumerate(COUNTERS):
                counts[i] += site[counter]
    return {place: counts for place, counts in sites.items() if any(counts)}


def main():
    report_path, sources = sys.argv[1], sys.argv[2:]
    with open(report_path) as file:
        report = json.load(file)
    want, got = expected(sources), reported(report, sources)
    for place in sorted(want.keys() | got.keys()):
        if want.get(place) != got.get(place):
            print("%s:%d: expected %s, reported %s" % (*place, want.get(place), got.get(place)))
    if not report["exact"]:
        print("not exact:", report["inexact_reasons"])
    return not (report["exact"] and want and want == got)


sys.exit(main())
