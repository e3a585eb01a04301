# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All calls reach one heap and are counted once: through the C library's internal names, RTLD_DEEPBIND, a malloc of the
program, or glibc's checker. Calls that bypass the runtime are reported, and are no faults."""
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *

CHECKER = "libc_malloc_debug.so.0"
BOOKS = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "realloc_old_bytes", "frees", "freed_bytes"
JSON = "format=json:report=%e.%p.json"
FREES_UNSEEN = "frees that pass no site are not seen"


def totals(report):
    return [report["totals"][counter] for counter in BOOKS]


def books(process):
    expect("status", 3, process.returncode)
    return list(map(int, process.out.split()))


def check_books(what, program, options):
    """Compares the difference of two runs, which excludes allocations of the C library itself."""
    reports, kept = [], []
    for rounds in 1, 3:
        process = run([program, str(rounds)], JSON + options)
        kept.append(books(process))
        reports.append(report_of(process))
        expect(f"{what}, exact", [], reports[-1]["inexact_reasons"])
    expect(f"{what}: counted", [b - a for a, b in zip(*kept)], [b - a for a, b in zip(*map(totals, reports))])


DETAILS = "", ":pairs=1", ":sizes=1", ":lifetime=1", ":stack=8", ":temporary=1"


def names():
    program = build("names.c", "names")
    for options in DETAILS:
        check_books(options, program, options)
    plain = build("names.c", "plain", plain=True)
    expect("enabled=0", books(run([plain, "2"])), books(run([program, "2"], "enabled=0")))
    process = run([build("names.c", "observed", *observer("-DOBSERVED_LIBC")), "2"])
    expect("books of the program that is observed", 3, process.returncode)
    check_observed(process, report_of(process))


def names_static():
    program = build("names.c", "names", "-static")
    for options in DETAILS:
        check_books(options, program, options)


def opened():
    """Libraries opened with RTLD_DEEPBIND, and functions that dlsym finds in the C library."""
    subprocess.run([CLANG, "-O1", "-fPIC", "-shared", "-fno-builtin", source("plugin.c"), "-o", "libplugin.so"], check=True)
    program = build("opener.c", "opener")
    for way in "deepbind", "deepbind_lazy", "plugin", "libc", "next":
        counted = []
        for count in 100, 300:
            process = run([program, "./libplugin.so", way, str(count)])
            check_behaviour(process)
            report = report_of(process)
            expect(f"{way}: exact", [], report["inexact_reasons"])
            counted.append(totals(report))
        # allocated 40, 50, 60 and 70; moved 60 to 600 and 70 to 700
        expect(way, [200 * each for each in (4, 220, 2, 1300, 130, 4, 1390)], [b - a for a, b in zip(*counted)])


def elsewhere():
    """If there is a second copy of the C library, only frees of its blocks are seen."""
    subprocess.run([CLANG, "-O1", "-fPIC", "-shared", "-fno-builtin", source("plugin.c"), "-o", "libplugin.so"], check=True)
    for way, told in ("copy", ["came from the C library's malloc in a way that is not seen", "a namespace of their own"]), \
            ("namespace", ["a namespace of their own"]):
        process = run([build("opener.c", "opener"), "./libplugin.so", way, "5"])
        check_behaviour(process)
        report = report_of(process)
        expect(f"{way}: faults", [], report["faults"])
        expect(f"{way}: told", [True] * len(told), [text in reason for text, reason in zip(told, report["inexact_reasons"])])


def reused():
    """If the C library returns a freed block again by a call that the runtime does not see, its free is no double free."""
    program = build("reused.c", "reused", "-O0")
    for cached in "0", "7":
        process = run([program, cached])
        check_behaviour(process, out="reused\n")
        report = report_of(process)
        expect(f"{cached} cached: faults", [], report["faults"])
        expect(f"{cached} cached: told", 1, len(report["inexact_reasons"]))


def own():
    """A program with its own malloc."""
    lines = open(source("user.c")).read().splitlines()
    for way in "OVER_NEXT", "OVER_LIBC", "FREE_ALONE", "BEHIND_A_HEADER", "IN_A_POOL":
        subprocess.run([f"{BIN}/allocsite-clang-{MAJOR}", "-O1", "-g", "-w", "-fno-builtin", f"-D{way}", "-c", source("own.c"), "-o", f"{way}.o"], check=True)
        program = build("user.c", way.lower(), f"{way}.o")
        process = run([program, "10"])
        check_behaviour(process)
        report = report_of(process)
        is_seen = way in ("OVER_NEXT", "OVER_LIBC")
        want = {line: counts for line, counts in notes("user.c").items() if is_seen or way == "FREE_ALONE" or "wcsdup" not in lines[line - 1]}
        have = sites(report, "user.c")
        expect(f"{way}: sites", want, {line: counts for line, counts in have.items() if line in want})
        expect(f"{way}: frees are seen", is_seen, not any(FREES_UNSEEN in reason for reason in report["inexact_reasons"]))
        if is_seen:
            expect(f"{way}: live", 0, report["totals"]["live_blocks"])
            reports = [report_of(run([program, rounds])) for rounds in ("10", "20")]
            expect(f"{way}: calls", 10 * 7, sum(site["allocs"] for site in reports[1]["sites"]) - sum(site["allocs"] for site in reports[0]["sites"]))
        else:
            expect(f"{way}: exact", False, report["exact"])
            text = run([program, "10"], "leaks=1").err
            expect(f"{way}: no leaks are listed", (True, False), ("live and peak: not counted" in text, "user.c" in text))
        uninstrumented = build("user.c", f"plain_{way.lower()}", f"-D{way}", source("own.c"), "-fno-builtin", plain=True)
        process = run([uninstrumented, "10"], environment={"LD_PRELOAD": f"{LIB}/liballocsite.so"})
        check_behaviour(process)
        expect(f"{way}, preloaded: exact", False, report_of(process)["exact"])


def checkers():
    yield "tunable", {"GLIBC_TUNABLES": "glibc.malloc.check=3"}, "plain"
    yield "variable", {"MALLOC_CHECK_": "3"}, "plain"
    yield "mcheck", {}, "check"


DAMAGED = "malloc calloc realloc reallocarray posix_memalign strdup wcsdup asprintf".split()


def checked():
    """glibc's checker serves the whole heap: it accepts a correct program and detects the damage of a wrong one."""
    if not os.path.exists(f"{LIBRARIES}/{CHECKER}"):
        sys.exit(SKIPPED)
    program, plain = build("every.c", "every"), build("every.c", "plain", plain=True)
    usual = report_of(run([program, "plain"]))
    for what, environment, way in checkers():
        for first in f"{CHECKER}", f"{CHECKER}:{LIB}/liballocsite.so", f"{LIB}/liballocsite.so:{CHECKER}":
            for binary in (program, plain) if ":" in first else (program,):
                process = run([binary, way], environment={**environment, "LD_PRELOAD": first})
                check_behaviour(process)
                report = report_of(process)
                expect(f"{what}, {first}: exact", [], report["inexact_reasons"])
                expect(f"{what}, {first}: totals", totals(usual), totals(report))
        for function in DAMAGED:
            process = run([program, way, function], "report=none", environment={**environment, "LD_PRELOAD": CHECKER})
            expect(f"{what}, damaged block of {function}", -signal.SIGABRT, process.returncode)


def traced():
    """mtrace logs the same events as without allocsite; MALLOC_PERTURB_ fills blocks."""
    if not os.path.exists(f"{LIBRARIES}/{CHECKER}"):
        sys.exit(SKIPPED)
    logs = []
    for name, is_plain in ("traced", False), ("untraced", True):
        process = run([build("every.c", name, plain=is_plain), "trace"], environment={"LD_PRELOAD": CHECKER, "MALLOC_TRACE": f"{WORK}/log"})
        check_behaviour(process)
        logs.append(re.findall(r"^@ .* ([-+<>] 0x)[0-9a-f]+(| 0x[0-9a-f]+)$", open("log").read(), re.M))
        os.remove("log")
    expect("events of mtrace", True, len(logs[0]) > 200)
    expect("mtrace", logs[1], logs[0])
    for perturbing in {"MALLOC_PERTURB_": "85"}, {"GLIBC_TUNABLES": "glibc.malloc.perturb=85"}:
        outputs = [run([build("every.c", name, plain=is_plain), "perturb"], environment=perturbing).out
                   for name, is_plain in (("every", False), ("plain", True))]
        expect("perturbed", ["aa\ndone\n"] * 2, ["".join(sorted(output.splitlines(True))) for output in outputs])


main([names, names_static, opened, elsewhere, reused, own, checked, traced])
