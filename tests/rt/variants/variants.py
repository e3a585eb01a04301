# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two programs of this folder, compiled in the ways of users, must count exactly what their notes say: variants.py
BIN MAJOR LLD WORK."""
import collections
import json
import os
import re
import subprocess
import sys

bin, major, lld, work = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
NOTE = re.compile(r"@(all|O0|O\+) (\d+) (\d+) (\d+) (\d+) (\d+)")
COUNTERS = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "failed"
VARIANTS = [
    "-O0", "-O2", "-O3", "-O2 -g", "-O0 -g",
    "-O2 -fno-pie -no-pie",
    "-O2 -static", "-O2 -static-pie -fPIE",
    "-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections",
    "-O2 -fuse-ld=gold",
    f"-O2 --ld-path={lld} -ffunction-sections -Wl,--gc-sections,--icf=all",
    f"-O2 -flto --ld-path={lld}",
    f"-O2 -flto=thin --ld-path={lld}",
    f"-O0 -flto --ld-path={lld}",
    "-O2 -fno-builtin",
    "-O2 -s",
    "-O2 -Wl,--as-needed",
    "-O2 -Wl,-z,now -fno-plt",
]


def expected(source, optimised):
    """Returns the sites that the notes of each line describe."""
    sites = collections.defaultdict(list)
    for number, line in enumerate(open(source), 1):
        for when, *counts in NOTE.findall(line):
            if when == "all" or (when == "O+") == optimised:
                sites[number].append(tuple(map(int, counts)))
    return {line: sorted(notes) for line, notes in sites.items()}


def counted(report, source):
    sites = collections.defaultdict(list)
    for site in report["sites"]:
        if site["sited"] and site["file"] == source:
            sites[site["line"]].append(tuple(site[counter] for counter in COUNTERS))
    return {line: sorted(counts) for line, counts in sites.items()}


def check(compiler, name, options):
    source = os.path.join(here, name)
    program = os.path.join(work, name + ".out")
    path = program + ".json"
    built = subprocess.run([f"{bin}/{compiler}-{major}", *options.split(), "-w", "-pthread", source, "-o", program],
                           capture_output=True, text=True)
    if built.returncode != 0:
        print(f"WRONG: {compiler}-{major} {options}\n{built.stderr[:2000]}", flush=True)
        return False
    environment = dict(os.environ, ALLOCSITE_OPTIONS=f"format=json:report={path}")
    done = subprocess.run([program], env=environment, capture_output=True, text=True)
    report = json.load(open(path))
    wrong = []
    if done.returncode != 3 or not done.stdout.endswith("done\n") or done.stderr:
        wrong.append(f"the program behaves otherwise: {done}")
    if not report["exact"]:
        wrong.append(f"not exact: {report['inexact_reasons']}")
    want, have = expected(source, "-O0" not in options), counted(report, source)
    text = open(source).read().splitlines()
    for line in sorted(set(want) | set(have)):
        if "@ any" not in text[line - 1] and want.get(line) != have.get(line):
            wrong.append(f"{name}:{line}: expected {want.get(line)}, counted {have.get(line)}")
    for counter in COUNTERS:
        if sum(site[counter] for site in report["sites"]) != report["totals"][counter]:
            wrong.append(f"the sites' {counter} do not add up")
    print(f"{'ok' if not wrong else 'WRONG'}: {compiler}-{major} {options}", *wrong, sep="\n    ", flush=True)
    return not wrong


os.makedirs(work, exist_ok=True)
results = []
for options in VARIANTS:
    results.append(check("allocsite-clang", "program.c", options))
    results.append(check("allocsite-clang++", "program.cpp", options + " -std=c++17 -fsized-deallocation"))
sys.exit(not all(results))
