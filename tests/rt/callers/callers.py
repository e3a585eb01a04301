# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocations that pass no site are shown by return address: module, address in it, function. The test compares these
with llvm-symbolizer."""
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

SYMBOLIZER = os.path.join(os.path.dirname(CLANG), "llvm-symbolizer")
STATIC = [f"@{LIB}/allocsite/static.opts", f"{LIB}/liballocsite.a"]
SHARED = ["-Wl,--no-as-needed", f"-L{LIB}", "-lallocsite", f"-Wl,-rpath,{LIB}"]


def unsited(report, module):
    """Returns the rows of a module, given its base name."""
    rows = [site for site in report["sites"] if os.path.basename(site["module"]) == module]
    expect(f"sited in {module}", [], [row for row in rows if row["sited"]])
    return rows


def line_of(program, address):
    """The call precedes its return address."""
    told = subprocess.run([SYMBOLIZER, "--obj=" + program, hex(int(address, 16) - 1)], capture_output=True, text=True,
                          check=True).stdout.splitlines()
    return int(told[1].split(":")[1])


def by_line(program, rows):
    counted = collections.defaultdict(lambda: (0,) * len(COUNTERS))
    for row in rows:
        line = line_of(program, row["address"])
        counted[line] = tuple(map(sum, zip(counted[line], (row[counter] for counter in COUNTERS))))
    return dict(counted)


def check_lines(program, report):
    rows = unsited(report, os.path.basename(program))
    expect("callers that are not told", [], [row for row in rows if "address" not in row])
    expect("ids", len(rows), len({row["id"] for row in rows}))
    wanted = {line: counts[0] for line, counts in notes("callers.c").items() if any(counts[0])}
    counted = by_line(program, rows)
    counted.pop(0, None)  # the C library in a static program has no lines
    expect("lines", wanted, counted)


def check_child(program, parent, child):
    """The child counts only what it did after the fork, under the same ids."""
    ids = {row["id"]: row for row in unsited(parent, os.path.basename(program))}
    rows = [row for row in unsited(child, os.path.basename(program)) if row["allocs"]]
    expect("callers of the child", [11, 100], sorted(row["alloc_bytes"] for row in rows))
    expect("known ones", 1, sum(row["id"] in ids for row in rows))


def check_program(*options):
    program = build("callers.c", "callers", *options, plain=True)
    process = run([program])
    check_behaviour(process)
    report = report_of(process)
    expect("exact", [], report["inexact_reasons"])
    check_lines(program, report)
    others = [each for each in all_reports() if each["pid"] != process.pid]
    expect("children", 1, len(others))
    check_child(program, report, others[0])
    return report


def program():
    for options in (["-pie", "-fPIE"], ["-no-pie"], ["-O0"], ["-pie", "-fPIE", *observer()]):
        report = check_program(*options, *SHARED)
        libc = {row["function"]: row["allocs"] for row in report["sites"] if "/libc.so" in row["module"]}
        expect("strdup", 7, libc.get("strdup") or libc.get("__strdup"))
        path, = [module for module in report["modules"] if os.path.basename(module["path"]) == "callers"]
        expect("the program among the modules", os.path.join(WORK, "callers"), path["path"])


def program_static():
    for options in (["-static"], ["-static-pie", "-fPIE"]):
        check_program(*options, *STATIC)


def observed():
    program = build("callers.c", "callers", *SHARED, *observer(), plain=True)
    process = run([program], "format=json:report=%e.%p.json:pairs=1:sizes=1")
    report = report_of(process)
    check_observed(process, report)
    freeing = {pair["by"] for pair in report["pairs"]}
    rows = [row for row in report["sites"] if row["id"] in freeing]
    expect("who frees is told", [], [row for row in rows if "address" not in row])
    expect("lines that free", True, len([row for row in rows if row["module"] == program]) >= 6)


def library():
    process = run([build("library.cpp", "library", *SHARED, *observer(), plain=True)])
    report = report_of(process)
    check_behaviour(process)
    check_observed(process, report)
    rows = {row["function"]: row for row in report["sites"] if "libstdc++" in row["module"] and row["function"]}
    expect("reserve", True, any("basic_string" in name and "reserve" in name for name in rows))
    expect("exceptions of operator new", 5, rows.get("__cxa_allocate_exception", {"allocs": None})["allocs"])
    process = run([os.path.join(WORK, "library")], "top=0")
    expect("text", True, re.search(r"\blibstdc\+\+\.so\S*\+0x[0-9a-f]+:\s+std::", process.err) is not None)


def local():
    """Functions that no other module can call are named from the module's file, also in stacks, if the file is the one
    that was loaded."""
    program = build("callers.c", "local", *SHARED, plain=True)
    own = {"once", "each", "kinds"}
    expect("in the file", own, own & {row["function"] for row in unsited(report_of(run([program])), "local")})
    process = run([program], "stack=8:top=3")
    expect("called by", True, re.search(r"called by (each|thread)", process.err) is not None)
    subprocess.run(["strip", program], check=True)
    expect("stripped", set(), own & {row["function"] for row in unsited(report_of(run([program])), "local")})
    for name, options in ("libreplaced.so", []), ("other.so", ["-DOTHER"]):
        build("replaced.c", name, "-DLIBRARY", "-shared", "-fPIC", "-Wl,--build-id", *options, plain=True)
    process = run([build("replaced.c", "replaced", *SHARED, "-L.", "-lreplaced", f"-Wl,-rpath,{WORK}", plain=True)])
    check_behaviour(process)
    expect("replaced", [None], [row["function"] for row in unsited(report_of(process), "libreplaced.so")])


def crowded():
    """Each function is named, whether a library has few or many callers, and at any density of code."""
    for options, end in (([], 30), (["-DCROWD"], 70)):
        build("crowded.c", "libcrowded.so", "-DLIBRARY", "-shared", "-fPIC", *options, plain=True)
        program = build("crowded.c", "crowded", *options, *SHARED, f"-L{WORK}", "-lcrowded", f"-Wl,-rpath,{WORK}", plain=True)
        process = run([program])
        report = report_of(process)
        check_behaviour(process)
        rows = {row["function"]: row["alloc_bytes"] for row in unsited(report, "libcrowded.so")}
        expect("functions", {f"take_{size}": size for size in range(10, end)}, rows)


def opened():
    """Two libraries are loaded at the same address in turn, and each of the four callers is one row."""
    libraries = [os.path.join(WORK, build("opened.c", f"libopened{size}.so", f"-DSIZE={size}", "-shared", "-fPIC", plain=True))
                 for size in (100, 600)]
    program = build("opener.c", "opener", *SHARED, plain=True)
    process = run([program, *libraries])
    report = report_of(process)
    check_behaviour(process)
    rows = {row["alloc_bytes"] // 5000: (row["module"], row["allocs"], row["frees"]) for row in report["sites"]
            if row["module"] in libraries}
    expect("places", {100: (libraries[0], 5000, 5000), 101: (libraries[0], 5000, 5000),
                      600: (libraries[1], 5000, 5000), 601: (libraries[1], 5000, 5000)}, rows)


def move_headers(library):
    """Moves the program headers out of the mapped segments, as some tools that rewrite libraries do. The loader reads
    them from the file."""
    with open(library, "r+b") as file:
        header = file.read(64)
        at, size, count = (int.from_bytes(header[where:where + length], "little") for where, length in ((32, 8), (54, 2), (56, 2)))
        file.seek(at)
        table = file.read(size * count)
        file.seek(1 << 24)
        file.write(table)
        file.seek(32)
        file.write((1 << 24).to_bytes(8, "little"))


def headers():
    library = build("opened.c", "libopened.so", "-DSIZE=100", "-shared", "-fPIC", "-Wl,-soname=libopened.so", plain=True)
    move_headers(library)
    linked = [*SHARED, library, f"-Wl,-rpath,{WORK}"]
    for options, program in (("", build("opener.c", "opener", *linked, plain=True)), (":stack=8", os.path.join(WORK, "opener"))):
        process = run([program, library], "format=json:report=%e.%p.json" + options)
        report = report_of(process)
        check_behaviour(process)
        rows = [(row["function"], row["allocs"]) for row in report["sites"] if row["module"] == library]
        expect("places", [("work", 10000), ("work", 10000)], rows)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))


def many():
    program = build("many.c", "many", *SHARED, plain=True)
    process = run([program], preexec_fn=limit)
    report = report_of(process)
    check_behaviour(process)
    rows = unsited(report, "many")
    places = [row for row in rows if "address" in row]
    rest, = [row for row in rows if "address" not in row]
    expect("callers", True, 900 < len(places) <= 1024)
    expect("each", {10}, {row["allocs"] for row in places})
    expect("the rest", 20480 - 10 * len(places), rest["allocs"])
    others = [row["allocs"] for row in report["sites"] if "address" not in row]
    expect("that is said", sum(others), report["walks"]["without_caller"])
    process = run([program], "top=2", preexec_fn=limit)
    expect("in text", True, re.search(r"\b[\d,]+\s+places?,\s+and\s+others\s+in\s+\d\s+modules?,", process.err) is not None)
    expect("its row", True, "  many, other callers\n" in process.err)


def copies():
    """Copies of one call are one row, as with a site. Calls of a function that was inlined at two lines are two."""
    process = run([build("copies.c", "copies", "-O2", *SHARED, plain=True)], "top=0")
    expect("behaviour", (3, "done\n"), (process.returncode, process.out))
    rows = re.findall(r"^ *(\d+) B +[\d.]+% +(\d+) .*copies\.c:(\d+)", process.err, re.M)
    expect("rows", [("30", "1", "9"), ("40", "1", "9"), ("615", "6", "16")], sorted(rows))


main((program, program_static, observed, library, local, crowded, opened, headers, many, copies))
