# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several modules: which runtime counts, and its message if it cannot see everything."""
import glob
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

STATIC = [f"@{LIB}/allocsite/static.opts"]


def part(*options):
    return build("part.c", "libpart.so", "-shared", "-fPIC", *options)


def reasons(report):
    return " / ".join(report["inexact_reasons"])


def opened_by_uninstrumented():
    library = part()
    process = run([build("user.c", "user", "-ldl", plain=True), library])
    report = report_of(process)
    check_behaviour(process)
    expect("exact", False, report["exact"])
    expect("reason", True, "comes before allocsite's" in reasons(report))
    expect("malloc and strdup", {10: [(1, 100, 0, 0, 0)]}, {line: counts for line, counts in sites(report, "part.c").items() if line == 10})


def many():
    """An instrumented program with a library that is linked and one that is opened."""
    part()
    opened = build("part.c", "libopened.so", "-shared", "-fPIC")
    program = build("user.c", "user", "-L.", "-lpart", "-ldl", f"-Wl,-rpath,{WORK}", *observer())
    process = run([program, opened])
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    expect("both", {line: [tuple(2 * count for count in counts[0])] for line, counts in notes("part.c").items()}, sites(report, "part.c"))
    check_notes(report, "user.c")
    check_observed(process, report)


def second_runtime():
    """The program has the static runtime, its library the shared one: each says that its counts are incomplete."""
    part()
    objects = ["-x", "none", f"{LIB}/liballocsite.a"]
    plugin = f"-fpass-plugin={LIB}/allocsite.so"
    program = build("user.c", "user", plugin, *objects, "-L.", "-lpart", "-ldl", f"-Wl,-rpath,{WORK}", plain=True)
    process = run([program], "format=json:reach=1")
    expect("behaviour", (3, "done\n"), (process.returncode, process.out))
    reports = [json.loads(text) for text in process.err.replace("]}\n{", "]}\n\n\n{").split("\n\n\n")]
    for report in reports:
        expect("exact", False, report["exact"])
        expect("reason", True, "second copy" in reasons(report))
        expect("lost blocks", "not all blocks of the process are known", report.get("leaked_unknown"))
    process = run([program], "")
    expect("text says so", True, "second copy" in process.err)


def forked():
    """A child that cannot ask the dynamic loader knows from its parent what is not counted."""
    part()
    program = build("forked.c", "forked", f"-fpass-plugin={LIB}/allocsite.so", "-x", "none", f"{LIB}/liballocsite.a", "-pthread", "-ldl", plain=True)
    for old in glob.glob("forked.*.json"):
        os.unlink(old)
    expect("status", 0, run([program, f"{WORK}/libpart.so"], "format=json:report=%e.%p.json").returncode)
    reports = [json.load(open(path)) for path in glob.glob("forked.*.json")]
    own = [report for report in reports if report["totals"]["allocs"]]
    expect("processes", 2, len(own))
    for report in own:
        expect("reason", True, "second copy" in reasons(report))


def static_runtime_in_dynamic_program():
    plugin = f"-fpass-plugin={LIB}/allocsite.so"
    wraps = [line for line in open(f"{LIB}/allocsite/static.opts").read().split() if line.startswith("-Wl,--wrap")]
    program = build("user.c", "user", plugin, *wraps, f"{LIB}/liballocsite.a", "-ldl", plain=True)
    process = run([program])
    report = report_of(process)
    check_behaviour(process)
    expect("exact", False, report["exact"])
    expect("reason", True, "shared libraries" in reasons(report))
    expect("no second one", False, "second copy" in reasons(report))
    check_notes(report, "user.c")
    report = report_of(run([program], "format=json:report=%e.%p.json:reach=1"))
    expect("lost blocks", "not all blocks of the process are known", report.get("leaked_unknown"))


def standard_libraries():
    """The C++ library shared, static, and everything static."""
    for options in ([], ["-static-libstdc++"], ["-static-libstdc++", "-static-libgcc"]):
        plain = run([build("standard.cpp", "plain", *options, *observer(), plain=True)])
        seen = tuple(map(int, open(f"seen.{plain.pid}").read().split()))
        process = run([build("standard.cpp", "standard", *options, *observer())])
        report = report_of(process)
        check_behaviour(process)
        expect(f"{options}: exact", [], report["inexact_reasons"])
        check_notes(report, "standard.cpp")
        expect(f"{options}: what the uninstrumented program does", seen[:4], tuple(report["totals"][counter] for counter in COUNTERS[:4]))
        served = int(open(f"seen.{process.pid}").read().split()[0])
        expect(f"{options}: the operators are not looked for at each call", True, served < seen[0] + 5000)
    process = run([build("standard.cpp", "standard", "-static")])
    check_behaviour(process)
    check_notes(without_unwinder(report_of(process)), "standard.cpp")


def failing_new():
    """The C++ library is in the program, which does not refer to its functions that throw."""
    for options in ([], ["-static-libstdc++"], ["-static"]):
        process = run([build("throws.cpp", "throws", *options)])
        check_behaviour(process, "caught\n", 0)
        check_notes(without_unwinder(report_of(process)), "throws.cpp")


def started_by_loader():
    """Started by ld.so as the command: the kernel describes the process as ld.so."""
    library = build("part.c", "libopened.so", "-shared", "-fPIC")
    for options in ([], ["-fno-pie", "-no-pie"]):
        program = build("user.c", "user", "-ldl", *options)
        process = run(["/lib64/ld-linux-x86-64.so.2", program, library], "format=json:report=report.json")
        report = load("report.json")
        check_behaviour(process)
        expect("exact", [], report["inexact_reasons"])
        check_notes(report, "user.c")
        check_notes(report, "part.c")
        expect("program", program, report["program"])


main([opened_by_uninstrumented, many, second_runtime, forked, static_runtime_in_dynamic_program, standard_libraries, failing_new, started_by_loader])
