# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Custom allocators: the program counts itself what they allocate and free, and an observer behind allocsite counts the
calls of malloc."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

SEEN = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "frees", "freed_bytes"
INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "rt", "lib")
VARIANTS = [[], ["-O0"], ["-O3", "-fno-inline"], ["-static"], ["-fallocsite-contexts=0"]]
NOTHING = collections.Counter()


def programs(name="custom.c", variants=VARIANTS):
    for number, variant in enumerate(variants):
        behind = [] if "-static" in variant else observer()
        yield build(name, f"custom{number}", f"-I{INCLUDE}", f"-fallocsite-list={source('list.txt')}", *variant, *behind)


def check_seen(report, out):
    """Compares the report with the counts in the program's last line."""
    seen = dict(zip(SEEN, map(int, out.split("\n")[-2].split())))
    custom = report["custom"]
    expect("custom, as the program saw it", seen, {counter: custom[counter] for counter in SEEN})
    check_law("custom", custom)
    check_law("chunks", report.get("chunks", {counter: 0 for counter in custom}))


def check_observed_malloc(process, report):
    """totals - custom + chunks is what malloc was asked for."""
    path = f"seen.{process.pid}"
    if not os.path.exists(path):
        return
    chunks, custom, totals = report.get("chunks", NOTHING), report["custom"], report["totals"]
    seen = tuple(map(int, open(path).read().split()))
    observed = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", None, "frees", "freed_bytes", "realloc_old_bytes"
    for count, counter in zip(seen, observed):
        if counter == "frees":
            have = sum(part[name] * sign for part, sign in ((totals, 1), (custom, -1), (chunks, 1)) for name in ("frees", "moved"))
            expect("frees and moves of malloc", seen[5] + seen[2], have)
        elif counter and counter != "freed_bytes":
            expect(f"{counter} of malloc", count, totals[counter] - custom[counter] + chunks[counter])


def check_sums(report):
    rows = [row for row in report["sites"] if row.get("chunk")]
    expect("chunks is the sum of its rows", {counter: sum(row[counter] for row in rows) for counter in SEEN},
           {counter: report.get("chunks", NOTHING)[counter] for counter in SEEN})


def load(path):
    report = json.load(open(path))
    whole = {**report, **{part: [row for row in report[part] if not row.get("chunk")] for part in ("sites", "stacks")}}
    check_laws(whole)
    for row in report["sites"]:
        check_law(f"{row['file']}:{row['line']} {row['callee']}, chunk {row.get('chunk')}", row)
    expect("faults", [], report["faults"])
    expect("exact", [], report["inexact_reasons"])
    return report


def check(name, wanted=lambda report: None, options="format=json:report=%e.%p.json:top=0", variants=VARIANTS, program="custom.c"):
    for binary in programs(program, variants):
        process = run([binary, name], options)
        expect(f"{name} of {binary}", (0, ""), (process.returncode, process.err))
        report = load(f"{os.path.basename(binary)}.{process.pid}.json")
        check_seen(report, process.out)
        check_observed_malloc(process, report)
        check_sums(report)
        wanted(report)


def line_of(name, text):
    return next(number for number, line in enumerate(open(source(name)), 1) if text in line)


def at(report, line, counters=("allocs", "alloc_bytes")):
    """Returns the counters at the program's line by allocator, without chunks."""
    counted = collections.defaultdict(collections.Counter)
    for row in rows(report):
        if row["line"] == line and not row.get("chunk"):
            counted[row["callee"]].update({counter: row[counter] for counter in counters})
    return [(callee, *(counts[counter] for counter in counters)) for callee, counts in counted.items()]


def bump():
    def wanted(report):
        if report["program"].endswith("4"):
            expect("without paths", ["bump_alloc"], [row["function"] for row in report["sites"] if row["callee"] == "bump_alloc"])
            return
        expect("at the caller's line", [("bump_alloc", 1999, sum(i % 7 + 1 for i in range(1, 2000)))],
               at(report, line_of("custom.c", "bump_alloc(&bump, i % 7 + 1)")))
        expect("failed", [("bump_alloc", 1)], at(report, line_of("custom.c", "bump_alloc(&bump, SPACE)"), ["failed"]))
    check("bump", wanted)


def wide():
    check("wide")


def pool():
    check("pool")


def stack():
    check("stack")


def reallocated():
    check("reallocated")


def methods():
    def wanted(report):
        rows = [row for row in report["sites"] if row["callee"].startswith("method_")] if all(row["callee"] for row in report["sites"]) else []
        expect("attributed to the methods", True, all(row["function"].startswith("method_") for row in rows))
    check("methods", wanted)


def chunks():
    def wanted(report):
        expect("chunks", ["malloc"], sorted({row["callee"] for row in report["sites"] if row.get("chunk")}))
        expect("chunks are no blocks", [], at(report, line_of("custom.c", "= malloc(CHUNK)")))
    check("chunks", wanted)


def nested():
    check("nested")


def wrappers():
    check("wrappers")


def threads():
    check("threads", variants=[[], ["-O0"], ["-static"]])


def sharing():
    check("sharing", variants=VARIANTS[:2])


def jumps():
    def wanted(report):
        line = line_of("custom.c", "free(malloc(i)); /* is no chunk */")
        expect("after the jump", 9, sum(allocs for _, allocs, _ in at(report, line)))
    check("jumps", wanted, variants=[["-O1", "-fno-builtin"]])


def forked():
    """The child inherits the blocks and frees them."""
    for binary in programs(variants=VARIANTS[:1]):
        process = run([binary, "forked"])
        reports = {json.load(open(path))["pid"]: load(path) for path in glob.glob("*.json")}
        expect("processes", 2, len(reports))
        lines = process.out.split("\n")
        for pid, report in reports.items():
            is_child = pid != process.pid
            check_seen(report, lines[0 if is_child else 1] + "\n")
            expect("inherited", 100 if is_child else 0, report["custom"]["inherited_blocks"])
            expect("live", 0 if is_child else 101, report["custom"]["live_blocks"])


def signals():
    check("signals", variants=VARIANTS[:2])


def details():
    """With every detail per event, and in a profile."""
    check("chunks", options="format=json:report=%e.%p.json:top=0:pairs=1:sizes=1", variants=VARIANTS[:1])
    check("reallocated", options="format=json:report=%e.%p.json:top=0:stack=4", variants=VARIANTS[:1])
    for binary in programs(variants=VARIANTS[:1]):
        process = run([binary, "chunks"], "format=json:report=r.json:profile=p.profile:top=0")
        dump = subprocess.run([os.path.join(BIN, "allocsite-dump"), "report", "--format=json", "--top=0", "p.profile"],
                              capture_output=True, text=True)
        expect("allocsite-dump", (0, ""), (dump.returncode, dump.stderr))
        report, read = load("r.json"), json.loads(dump.stdout)
        for part in "totals", "custom", "chunks":
            expect(f"{part} of the profile", {name: report[part][name] for name in SEEN},
                   {name: read.get(part, NOTHING)[name] for name in SEEN})
        text = subprocess.run([os.path.join(BIN, "allocsite-dump"), "report", "p.profile"], capture_output=True, text=True)
        expect("said", True, "by custom allocators" in text.stdout and "(chunk, not in the total)" in text.stdout)


def objects():
    """C++: members, exceptions, attributes in the source."""
    def wanted(report):
        failed = sum(row["failed"] for row in report["sites"])
        expect("failed by exceptions", 1990, failed)
    check("objects", wanted, program="custom.cpp")


LISTED = re.compile(r"@ (\S+) (\d+) (\d+) \*/")


def elsewhere_programs():
    """The allocator in an object, in a shared library, in a static program, and also compiled with the plugin and the
    list."""
    options = [f"-I{HERE}", f"-fallocsite-list={source('elsewhere.txt')}"]
    plain = "-O1", "-g", "-fPIC", "-c"
    subprocess.run([CLANG, *plain, source("elsewhere_allocator.c"), "-o", "plain.o"], check=True)
    subprocess.run([CLANGXX, *plain, source("elsewhere_throws.cpp"), "-o", "throws.o"], check=True)
    subprocess.run([CLANGXX, "-shared", "plain.o", "throws.o", "-o", "libplain.so"], check=True)
    build("elsewhere_allocator.c", "known.o", *options, "-fPIC", "-c")
    subprocess.run([f"{BIN}/allocsite-clang-{MAJOR}", "-shared", "known.o", "-o", "libknown.so"], check=True)
    library = [f"-L{WORK}", f"-Wl,-rpath,{WORK}"]
    text = open(source("elsewhere.c")).read()
    open("elsewhere.cpp", "w").write(text)
    cxx = os.path.join(WORK, "elsewhere.cpp")
    behind = observer()
    for number, (name, *more) in enumerate((("elsewhere.c", "plain.o", *behind), ("elsewhere.c", "-O0", *library, "-lplain", *behind),
                                            ("elsewhere.c", "-O2", "-static", "plain.o"), ("elsewhere.c", "-O2", "known.o", *behind),
                                            ("elsewhere.c", "-O2", *library, "-lknown", *behind), (cxx, "-O2", *library, "-lplain", *behind),
                                            (cxx, "-O0", "plain.o", "throws.o", *behind),
                                            ("elsewhere.c", "-O2", "-fallocsite-contexts", *library, "-lplain", *behind))):
        yield build(name, f"elsewhere{number}", *options, *more), name.endswith("pp")


def elsewhere():
    """Listed functions whose definitions were compiled without the plugin."""
    noted = {number: (found[1], int(found[2]), int(found[3]))
             for number, line in enumerate(open(source("elsewhere.c")), 1) if (found := LISTED.search(line))}
    for program, is_cxx in elsewhere_programs():
        process = run([program], "format=json:report=%e.%p.json:top=0")
        expect(program, (0, ""), (process.returncode, process.err))
        report = load(f"{os.path.basename(program)}.{process.pid}.json")
        check_seen(report, process.out)
        check_observed_malloc(process, report)
        check_sums(report)
        counted, by_pointer = collections.defaultdict(collections.Counter), collections.Counter()
        for row in rows(report):
            passed = [frame["line"] for frame in row["frames"] if frame["line"] in noted and "elsewhere.c" in frame["file"]]
            counts = {name: row[name] for name in ("allocs", "alloc_bytes")}
            if passed and not row.get("chunk"):
                counted[passed[0], row["callee"]].update(counts)
            elif row["callee"] == "px_malloc" and not row.get("chunk"):
                by_pointer.update(counts)
        for line, (callee, *counts) in noted.items():
            if is_cxx or "::" not in callee:
                expect(f"line {line} of {program}", counts, list(counted[line, callee].values()))
        expect(f"by pointer, {program}", [200, 30000], list(by_pointer.values()))
        line = line_of("elsewhere.c", "is no chunk")
        expect("after exceptions", [("malloc", 99, sum(range(1001, 1100)))] if is_cxx else [], at(report, line))


main([elsewhere, bump, wide, pool, stack, reallocated, methods, chunks, nested, wrappers, threads, sharing, jumps, forked, signals, details, objects])
