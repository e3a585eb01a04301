# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines to which single calls are attributed: with sites alone, and with call paths."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *


def unsited(report, module):
    """Returns what the module allocated without a site."""
    rows = [site for site in report["sites"] if not site["sited"] and site["module"] == module]
    return tuple(sum(row[counter] for row in rows) for counter in COUNTERS)


def library():
    """With sites alone, because with call paths print() passes through to its callers."""
    for variant in "-O0", "-O1", "-O2 -D_FORTIFY_SOURCE=2", "-O1 -fno-builtin", "-O2 -fno-pie -no-pie":
        program = build("library.c", "library", *variant.split(), "-fallocsite-contexts=0", *observer())
        process = run([program])
        report = report_of(process)
        told = {line: [(*counts, 0)] for line, *counts in (map(int, line.split()) for line in process.out.splitlines())}
        expect(f"{variant}: lines", True, len(told) > 25)
        have = {line: [(*counts[0][:4], 0)] for line, counts in sites(report, "library.c").items()}
        for line in sorted(set(told) | set(have)):
            expect(f"{variant}: library.c:{line}", told.get(line), have.get(line))
        expect(f"{variant}: exact", [], report["inexact_reasons"])
        expect(f"{variant}: status", 3, process.returncode)
        check_observed(process, report)


def library_static():
    """A static program has no observer, so its counts are compared with the dynamic program's."""
    counted = []
    for options in ((), ("-static",)):
        process = run([build("library.c", "library", *options)])
        report = report_of(process)
        expect(f"{options}: status", (3, []), (process.returncode, report["inexact_reasons"]))
        counted.append(sites(report, "library.c"))
    named_by_symbols = [number for number, line in enumerate(open(source("library.c")), 1) if "backtrace_symbols(" in line]
    for line in sorted((set(counted[0]) | set(counted[1])) - set(named_by_symbols)):
        expect(f"static library.c:{line}", counted[0].get(line), counted[1].get(line))


def tail():
    report = exact("tail.cpp")
    expect("tail calls, escaped, and an exception", (16, 46 + 50 + 136, 1, 50, 3),
           unsited(report, os.path.join(WORK, "tail")))


def tail_static():
    process = run([build("tail.cpp", "tail", "-static")])
    check_behaviour(process)
    check_notes(without_unwinder(report_of(process)), "tail.cpp")


def wrapped():
    """With ld --wrap the program's own functions are called, and their inner calls are counted."""
    for linker in "bfd", "gold", "lld":
        for wraps in ["-Wl,--wrap=malloc,--wrap=free"], ["-Xlinker", "--wrap=malloc", "-Wl,--wrap,free"]:
            for more in [], ["-fallocsite-contexts"]:
                program = build("wrapped.c", "wrapped", "-O1", "-fno-builtin", f"-fuse-ld={linker}", *wraps, *more)
                process = run([program])
                check_behaviour(process, "10 10 1\n")
                totals = report_of(process)["totals"]
                expect("blocks of 10 and 16 bytes", (10, 260), (totals["frees"], totals["freed_bytes"]))


def failing():
    """Also small blocks, for which the shadow table is written without a check."""
    text = open(source("failing.cpp")).read().splitlines()
    for options, link in ("", []), (":owners=0", []), ("", ["-static"]):
        process = run([build("failing.cpp", "failing", "-O1", "-fno-builtin", "-fallocsite-contexts=0", *link)],
                      f"format=json:report=%e.%p.json{options}")
        report = report_of(process)
        expect(f"{options} {link}, status", (3, ""), (process.returncode, process.err))
        told = {line: tuple(counts) for line, *counts in (map(int, line.split()) for line in process.out.splitlines())}
        expect(f"{options} {link}, calls that fail", True, sum(failed for _, _, failed in told.values()) > 15)
        have = {line: (counts[0][0], counts[0][1], counts[0][4]) for line, counts in sites(report, "failing.cpp").items()}
        for line in told:
            expect(f"{options} {link}, failing.cpp:{line}", told[line], have.get(line))


def inside():
    """Allocations of the C library and C++'s runtime are attributed to the line that calls them."""
    text = open(source("inside.cpp")).read().splitlines()
    want = {"tsearch(": 10, "make(9)": 27, "qsort(": 1, "throw i": 3, "empty.at(": 6, "/dev/null": 1, "/exe": 1, "fprintf(file": 1, "fseek(": 1}
    for variant in ("-O0",), ("-O2",), ("-O1", "-static"):
        process = run([build("inside.cpp", "inside", *variant, *([] if "-static" in variant else observer()))])
        report = without_unwinder(report_of(process))
        check_behaviour(process, out="")
        have = collections.Counter()
        for line, counts in sites(report, "inside.cpp").items():
            have[text[line - 1].strip()] = counts[0][0]
        expect(f"{variant}: counts", want, {part: have.pop(line) for part in want for line in list(have) if part in line})
        expect(f"{variant}: some", {"setenv", "regcomp", "regexec"}, {line.split("(")[0] for line in have})
        expect(f"{variant}: exact", [], report["inexact_reasons"])
        if "-static" not in variant:
            check_observed(process, report)
            own = [row["module"] for row in rows(report) if row["line"] == 0]
            expect(f"{variant}: rows of libraries", ["libstdc++.so.6"], [os.path.basename(module) for module in own])


def shelved():
    """A library built without the plugin; the compiler only sees its system header."""
    shared = build("shelf.c", "libshelf.so", "-shared", "-fPIC", "-fexceptions", plain=True)
    static = build("shelf.c", "shelf.o", "-c", "-fexceptions", plain=True)
    for variant in (("-O0", shared), ("-O2", shared), ("-O2", "-fPIE", "-pie", static), ("-O1", "-static", static)):
        program = build("shelved.cpp", "shelved", "-isystem", source("system"), f"-Wl,-rpath,{WORK}", *variant)
        process = run([program])
        report = report_of(process)
        check_behaviour(process)
        check_notes(report, "shelved.cpp", library="shelf.c")
        noise = [site["allocs"] for site in report["sites"] if not site["sited"] and site["alloc_bytes"] == 1000 * site["allocs"]]
        expect(f"{variant}: without a site", [1, 1, 1, 1] if shared in variant else [4], noise)
        expect(f"{variant}: exact", [], report["inexact_reasons"])


def sized():
    exact("sized.c")
    for link in (), ("-static",):
        program = build("sized.c", "sized", *link)
        for options in "", ":pairs=1", ":owners=0":
            process = run([program], f"format=json:report=%e.%p.json{options}")
            report = report_of(process)
            check_behaviour(process)
            check_notes(report, "sized.c")
            lost = [site["frees"] for site in report["sites"] if site["file"] and site["file"].endswith("sized.c")]
            expect(f"{link} {options}, frees", 0 if "owners" in options else 6, sum(lost))
            if "pairs" in options:
                callees = {site["id"]: site["callee"] for site in report["sites"]}
                freed = {callees.get(pair["by"]): pair["count"] for pair in report["pairs"] if callees.get(pair["by"])}
                expect(f"{link}, freed by", (3, 1), (freed.get("free_sized"), freed.get("free_aligned_sized")))
        check_behaviour(run([program], "enabled=0"))


def stale():
    report = exact("stale.cpp")
    expect("escaped, a stream, getline's line, and the malloc of operator new[]", (6, 3598, 0, 0, 2), unsited(report, os.path.join(WORK, "stale")))


def descriptors():
    program = build("descriptors.c", "descriptors", f"-I{HERE}/../../../rt", f"-L{LIB}", "-lallocsite", f"-Wl,-rpath,{LIB}",
                    plain=True)
    process = run([program])
    report = report_of(process)
    check_behaviour(process)
    expect("reasons", 1, len(report["inexact_reasons"]))
    expect("reason", True, "another format version" in "".join(report["inexact_reasons"]))
    expect("of another version", (3, 30, 0, 0, 0), unsited(report, program))
    empty = [site for site in report["sites"] if site["sited"]]
    expect("site that names nothing", [(None, None, 0, None, 3, 21)],
           [tuple(site[key] for key in ("function", "file", "line", "callee", "allocs", "alloc_bytes")) for site in empty])
    for format in ("text", "markdown", "csv"):
        process = run([program], f"format={format}")
        expect(format, (3, True), (process.returncode, "3" in process.err))


main([library, library_static, inside, shelved, failing, wrapped, tail, tail_static, sized, stale, descriptors])
