# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions for the scripts of the folders: build programs with allocsite, run them, and compare the counts with the
notes in the source and with an observer. A script is called as SCRIPT CASE BIN LIB MAJOR CLANG CLANGXX WORK and ends
with main(its cases)."""
import collections
import glob
import json
import os
import re
import subprocess
import sys

os.environ["COLUMNS"] = "1000"  # keeps rows of text on one line
NOTE = re.compile(r"@ (\d+) (\d+) (\d+) (\d+) (\d+)")
COUNTERS = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "failed"
COUNTED = *COUNTERS, "frees", "freed_bytes", "moved", "moved_bytes", "live_blocks", "live_bytes"
HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
SKIPPED = 77

case, BIN, LIB, MAJOR, CLANG, CLANGXX, WORK = sys.argv[1:]
WORK = os.path.join(WORK, case)
wrong = []


def allocator_libraries():
    """Returns the installed allocators. Skips the test if there is none."""
    names = "libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0"
    return [path for name in names if os.path.exists(path := os.path.join(LIBRARIES, name))] or sys.exit(SKIPPED)


def expect(what, want, got):
    if want != got:
        wrong.append(f"{what}: expected {want!r}, got {got!r}")


def source(name):
    return os.path.join(HERE, name)


def build(name, out, *options, plain=False):
    cxx = name.endswith("pp")
    driver = (CLANGXX if cxx else CLANG) if plain else f"{BIN}/allocsite-clang{'++' if cxx else ''}-{MAJOR}"
    subprocess.run([driver, "-O1", "-g", "-w", "-pthread", *(["-std=c++17"] if cxx else []), source(name), *options,
                    "-o", out], check=True)
    return os.path.join(WORK, out)


def observer(*options):
    subprocess.run([CLANG, "-O2", "-Wall", "-fPIC", "-shared", "-fno-builtin", *options, os.path.join(os.path.dirname(os.path.abspath(__file__)), "observer.c"), "-o",
                    "libobserver.so", "-pthread"], check=True)
    return ["-Wl,--no-as-needed", os.path.join(WORK, "libobserver.so"), f"-Wl,-rpath,{WORK}"]


def run(command, options="format=json:report=%e.%p.json", **more):
    for old in glob.glob("*.json") + glob.glob("seen.*"):
        os.remove(old)
    environment = dict(os.environ, ALLOCSITE_OPTIONS=options, OBSERVER=os.path.join(WORK, "seen"))
    environment.update(more.pop("environment", {}))
    process = subprocess.Popen(command, env=environment, stdout=more.pop("stdout", subprocess.PIPE),
                               stderr=more.pop("stderr", subprocess.PIPE), text=True, **more)
    process.out, process.err = process.communicate(timeout=300)
    return process


def check_law(what, counts):
    """Checks law 1: allocated equals released plus live. A forked child has also inherited blocks."""
    expect(f"law 1, blocks, {what}", counts["allocs"] + counts["reallocs"] + counts["inherited_blocks"],
           counts["frees"] + counts["moved"] + counts["live_blocks"])
    expect(f"law 1, bytes, {what}", counts["alloc_bytes"] + counts["realloc_bytes"] + counts["inherited_bytes"],
           counts["freed_bytes"] + counts["moved_bytes"] + counts["live_bytes"])
    for name, count in counts.items():
        if isinstance(count, int) and not 0 <= count < 1 << 62:
            wrong.append(f"{what}: {name} is {count}")


def check_peak(report):
    """Live bytes do not exceed the peak, nor does any site's share."""
    live, peak, within = report["totals"]["live_bytes"], report["totals"]["peak_bytes"], report["peak_within"]
    if live > peak + within:
        wrong.append(f"{live} bytes are live, but at the peak {peak} and {within} more at the most")
    for site in report["sites"]:
        if site["peak_bytes"] > peak:
            wrong.append(f"{site['file']}:{site['line']} has {site['peak_bytes']} of a peak of {peak}")


def site_of(stack, report):
    """Returns id and module of the stack's site: a source that is compiled into two modules has sites with equal ids.
    For an allocation in a library, the site is the program's call."""
    modules = {site["module"] for site in report["sites"] if site["id"] == stack["site"]}
    inner = [frame["module"] for frame in stack["frames"] if frame["module"] in modules]
    return stack["site"], inner[0] if len(modules) > 1 else modules.pop()


def check_laws(report):
    check_law("in total", report["totals"])
    check_peak(report)
    for site in report["sites"]:
        check_law(f"{site['file']}:{site['line']} {site['callee']} in {site['module']}", site)
    owners = [site_of(stack, report) for stack in report["stacks"]]
    for counter in COUNTED:
        paths = collections.Counter()
        for stack, site in zip(report["stacks"], owners):
            paths[site] += stack[counter]
        for site in report["sites"]:
            expect(f"sum of {counter} over the paths of {site['file']}:{site['line']}", site[counter], paths[site["id"], site["module"]])
    for counter in report["totals"]:
        if counter in (report["sites"] or [{}])[0]:
            expect(f"sum of {counter}", report["totals"][counter], sum(site.get(counter, 0) for site in report["sites"]))
    if report["exact"] and report["finished"] and not report["faults"]:
        expect("blocks moved", (report["totals"]["moved"], report["totals"]["moved_bytes"]),
               (report["totals"]["reallocs"], report["totals"]["realloc_old_bytes"]))
    check_pairs(report)


def check_pairs(report):
    """If pairs are counted, they add up to what each owner's blocks lost."""
    if "pairs" not in report:
        return
    lost = collections.Counter()
    for pair in report["pairs"]:
        lost[pair["owner"], pair["kind"]] += pair["count"]
        lost[pair["owner"], pair["kind"], "bytes"] += pair["bytes"]
    for site in report["sites"]:
        expect(f"pairs of {site['file']}:{site['line']}",
               [site[counter] for counter in ("frees", "freed_bytes", "moved", "moved_bytes")],
               [lost[(site["id"], *key)] for key in (("free",), ("free", "bytes"), ("realloc",), ("realloc", "bytes"))])


def load(path, faulty=False):
    """Loads a report. Every report must obey the laws, and has no faults unless the program is faulty."""
    report = json.load(open(path))
    check_laws(report)
    if not faulty:
        expect(f"faults in {path}", [], report["faults"])
    return report


def report_of(process, faulty=False):
    name = os.path.basename(process.args[0])
    return load(f"{name}.{process.pid}.json", faulty)


def all_reports():
    return [load(path) for path in glob.glob("*.json")]


def dumped(*arguments):
    dump = subprocess.run([os.path.join(BIN, "allocsite-dump"), *arguments], capture_output=True, text=True)
    expect(f"{arguments}: status and errors", (0, ""), (dump.returncode, dump.stderr))
    return json.loads(dump.stdout)


def run_sandboxed(command, options=""):
    """Runs a program that restricts its own system calls and therefore has no report. Returns it and the report of its
    profile."""
    for old in glob.glob("sandboxed.profile*"):
        os.remove(old)
    process = run(command, f"report=none:profile=sandboxed.profile{options}")
    if process.returncode == SKIPPED:
        sys.exit(SKIPPED)
    return process, dumped("report", "--format=json", max(glob.glob("sandboxed.profile*")))


def rows(report):
    """Returns the counts of each stack, with the location of its line and the calls from there outwards. Stacks
    entirely in libraries stay at their site."""
    sites = {(site["id"], site["module"]): site for site in report["sites"]}
    for stack in report["stacks"]:
        calls, site = stack["frames"][stack["line"]:], sites[site_of(stack, report)]
        if stack["line"] == 0 and calls[0]["pass_through"] and not site["sited"]:  # all frames are in libraries
            calls = [{key: site[key] for key in ("function", "file", "line", "column", "module")}]
        yield {**{key: site[key] for key in ("sited", "callee")}, **stack, **calls[0], "calls": calls}


def sites(report, name, library=None):
    """Returns the counts by line of the source. A line in a header or in the library's source is attributed to the
    calling line."""
    counted = collections.defaultdict(list)
    for row in rows(report):
        calls = [call for call in row["calls"] if (call["file"] or "").endswith((".c", ".cpp")) and os.path.basename(call["file"]) != library][:1]
        if calls and os.path.basename(calls[0]["file"]) == name and any(row[counter] for counter in COUNTED):
            counted[calls[0]["line"]].append(tuple(row[counter] for counter in COUNTERS))
    return {line: [tuple(map(sum, zip(*counts)))] for line, counts in counted.items()}


def without_unwinder(report):
    """In a static program the unwinder allocates blocks to sort its tables at the first exception."""
    report["stacks"] = [stack for stack in report["stacks"] if stack["frames"][0]["function"] != "search_object"]
    return report


def notes(name):
    noted = {}
    for number, line in enumerate(open(source(name)), 1):
        for note in NOTE.findall(line):
            noted[number] = [tuple(map(int, note))]
    return noted


def check_notes(report, name, library=None):
    want, have = notes(name), sites(report, name, library)
    # Removes the buffer of a stream, which is attributed to the first line that prints and is irrelevant to most tests.
    unbuffered = [stack for stack in report["stacks"] if stack["frames"][0]["function"] != "_IO_file_doallocate"]
    others = sites({**report, "stacks": unbuffered}, name, library)
    have = {line: counts if line in want else others[line] for line, counts in have.items() if line in want or line in others}
    text = open(source(name)).read().splitlines()
    for line in sorted(set(want) | {line for line in have if "@ any" not in text[line - 1]}):
        expect(f"{name}:{line}", want.get(line), have.get(line))


def check_observed(process, report):
    seen = tuple(map(int, open(f"seen.{process.pid}").read().split()))
    observed = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", None, "frees", "freed_bytes", "realloc_old_bytes"
    for count, counter in zip(seen, observed):
        if counter:
            expect(f"{counter} counted by the observer", count, report["totals"][counter])


def check_behaviour(process, out="done\n", status=3, err=""):
    expect("status", status, process.returncode)
    expect("output", out, process.out)
    expect("errors", err, process.err)


def exact(name, *options, **more):
    """Builds with the observer behind allocsite, runs, and checks all notes and laws."""
    program = build(name, name.split(".")[0], *options, *observer(), **more)
    process = run([program])
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    check_notes(report, name)
    check_observed(process, report)
    return report


def main(cases):
    os.makedirs(WORK, exist_ok=True)
    os.chdir(WORK)
    {function.__name__: function for function in cases}[case]()
    for line in wrong:
        print("WRONG:", line)
    sys.exit(bool(wrong))
