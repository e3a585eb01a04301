# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrappers: the lines that call them are billed."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

LEVELS = "-O0", "-O1", "-O2", "-O2 -g0", "-O0 -fPIC", "-O2 -flto=thin -fuse-ld=lld"


def counted(report, line, callee):
    rows = [site for site in report["sites"] if site["line"] == line and site["callee"] == callee]
    return tuple(sum(row[counter] for row in rows) for counter in ("allocs", "alloc_bytes"))


def line_of(name, text):
    return next(number for number, line in enumerate(open(source(name)), 1) if text in line)


def unsited(report, allocs, size):
    return len([site for site in report["sites"]
                if not site["sited"] and (site["allocs"], site["alloc_bytes"]) == (allocs, size)])


def outside(kind):
    """The other unit, which need not know of the plugin."""
    options = ["-c"] if kind != "library" else ["-shared", "-fPIC"]
    return build("outside.c", f"outside.{kind}.so" if kind == "library" else f"outside.{kind}.o", "-O2", *options,
                 plain=kind == "plain")


def check_forms(report):
    check_notes(report, "forms.c")
    line = line_of("forms.c", "xasprintf(\"%d\"")
    expect("xasprintf", True, counted(report, line, "xasprintf")[0] >= 1)
    expect("fopen", 1, counted(report, line_of("forms.c", "fopen("), "fopen")[0])
    for callee, text in (("xmalloc", "= xmalloc(10)"), ("xstrdup", "xstrdup(\"four\")"), ("xmalloc", "constant(12)"),
                         ("xcalloc", "= xcalloc(2, 10)"), ("outside_malloc", "outside_malloc(13)")):
        expect(text, 1, counted(report, line_of("forms.c", text), callee)[0])
    twice = [site for site in report["sites"] if site["line"] == line_of("forms.c", "TWICE(100)")]
    expect("two in a macro", [(1, 100), (1, 101)], sorted((site["allocs"], site["alloc_bytes"]) for site in twice))


def forms():
    for level in LEVELS:
        for kind in ("o", "plain", "library"):
            library = outside(kind)
            report = exact("forms.c", *level.split(), library, f"-Wl,-rpath,{WORK}")
            check_forms(report)
            # It is no wrapper: what it allocates is its own, or nobody's.
            if kind == "plain":
                expect("after a wrapper", 1, unsited(report, 2, 15 + 11))
        expect(level, [], wrong)


def forms_static():
    report = report_of(run([build("forms.c", "forms", "-O2", "-static", outside("plain"))]))
    check_forms(report)


def same_sites():
    """A site is the same whether its wrapper was inlined or not."""
    seen = []
    for level in ("-O0", "-O2"):
        report = report_of(run([build("forms.c", "same", level, outside("o"))]))
        seen.append({(site["line"], site["callee"], site["alloc_bytes"]): site["id"] for site in report["sites"]
                     if site["function"] == "main" and site["sited"] and not site["inlined"]})
    common = set(seen[0]) & set(seen[1])
    expect("common sites", True, len(common) > 15)
    for key in common:
        expect(f"id of {key}", seen[0][key], seen[1][key])


def not_lifted():
    """The same program without lifting: every block is billed where it is allocated, and all of them are."""
    lifted = report_of(run([build("forms.c", "lifted", "-O2", outside("o"))]))
    process = run([build("forms.c", "inner", "-O2", "-fallocsite-lift=0", outside("o"))])
    inner = report_of(process)
    check_behaviour(process)
    expect("totals", {key: lifted["totals"][key] for key in COUNTERS}, {key: inner["totals"][key] for key in COUNTERS})
    line = line_of("forms.c", "malloc(n ? n : 1)")
    expect("blocks", True, counted(inner, line, "malloc")[0] > 2000)


def forms_cxx():
    for level in ("-O0", "-O2", "-O2 -g0"):
        other = build("thrown.cpp", "thrown.o", "-c", plain=True)
        report = exact("forms.cpp", *level.split(), other)
        expect("after an exception", 1, unsited(report, 1, 6))
        for callee, text in (("make_array", "make_array<int>(3)"), ("Pool::get", "pool.get(2)"),
                             ("Thing::operator new", "new Thing"), ("thrown", "thrown(5)"),
                             ("make_array", "make_array<char>(4)"), ("std::vector::reserve", ".reserve(17)")):
            expect(f"{level}: {callee}", 1, counted(report, line_of("forms.cpp", text), callee)[0])


def copies():
    """Of what each file has a copy of the linker keeps one. The lines of files with the plugin are billed, whichever it is."""
    for level in *LEVELS, "-O2 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections,--icf=all", "-O2 -static":
        for is_plain in False, True:
            for is_first in False, True:
                other = build("copies_elsewhere.cpp", "elsewhere.o", "-c", *(level.split() if not is_plain else []), plain=is_plain)
                unit = build("copies.cpp", "copies.o", "-c", *level.split())
                files = [other, unit] if is_first else [unit, other]
                subprocess.run([f"{BIN}/allocsite-clang++-{MAJOR}", *level.split(), *files, "-o", "copies"], check=True)
                process = run([os.path.join(WORK, "copies")])
                check_behaviour(process)
                report = report_of(process)
                check_notes(report, "copies.cpp")
                for callee, size in ("take", 28), ("give", 16):
                    expect(callee, (0, 0) if is_plain else (1, size), counted(report, line_of("copies.cpp", f"::{callee}"), f"Pool::{callee}"))
                if wrong:
                    return expect("built so that all is right", True, (level, is_plain, is_first))


def shapes():
    for level in LEVELS[:-1]:  # ThinLTO of LLVM 14 loses the resolver
        report = exact("shapes.c", *level.split(), f"-fallocsite-list={source('shapes.txt')}")
        expect("another name", 1, counted(report, line_of("shapes.c", "= other_name(10)"), "xmalloc")[0])
        expect(level, [], wrong)


def stress():
    report = exact("stress.c", "-O2")
    children = [child for child in all_reports() if child["pid"] != report["pid"]]
    expect("children", 10, len(children))
    for child in children:
        expect("in a child", (1, 3), counted(child, line_of("stress.c", "xmalloc(3)"), "xmalloc"))


def unwound():
    """A call of what is only declared that an exception or the thread's end leaves is not billed what comes next."""
    for level in ("-O0", "-O2", "-O2 -fPIC", "-O2 -static", "-O2 -static-libstdc++ -static-libgcc"):
        parts = [build("unwound.c", "unwound.o", "-c", *level.split()),
                 build("unwound.cpp", "unwound.pp.o", "-c", *level.split())]
        driver = build("unwinding.cpp", "unwinding.o", "-c", plain=True)
        subprocess.run([f"{BIN}/allocsite-clang++-{MAJOR}", "-pthread", *level.split()[1:], *parts, driver, "-o", "unwound"], check=True)
        process = run([os.path.join(WORK, "unwound")])
        check_behaviour(process)
        report = report_of(process)
        check_notes(report, "unwound.c")
        check_notes(report, "unwound.cpp")
        expect(f"{level}: a wrapper's caller without the plugin", 1, unsited(report, 4, 28))
        expect(f"{level}: after an exception", 1, unsited(report, 4, 44))
        expect(f"{level}: when a thread has ended", 1, unsited(report, 2, 26))


def library():
    """No line of the C++ standard library stands in a report, and what it allocates is told by its outermost function."""
    for level in ("-O0", "-O2", "-O2 -g0", "-O2 -fno-rtti"):
        report = exact("library.cpp", *level.split())
        expect(f"{level}: not in the program", [],
               [(site["file"], site["line"], site["callee"]) for site in report["sites"]
                if site["sited"] and site["allocs"] and os.path.basename(site["file"]) != "library.cpp"])
        for callee, text in (("std::vector::push_back", "push_back"), ("std::map::operator[]", "map[1]"),
                             ("std::basic_string::reserve", "other.reserve"), ("std::make_shared", "make_shared<Item>"),
                             ("std::vector::resize", "items.resize(2)"), ("std::function::function", "two = one")):
            expect(f"{level}: {callee}", 1, counted(report, line_of("library.cpp", text), callee)[0])


def releases():
    for level in LEVELS:
        report = report_of(run([build("releases.c", "releases", *level.split())], "format=json:report=%e.%p.json:pairs=1"))
        lines = {site["id"]: site["line"] for site in report["sites"]}
        freed = {(pair["count"], pair["bytes"]): lines[pair["by"]] for pair in report["pairs"]}
        expect(level, {(1, 10): line_of("releases.c", "give_back(p, 3)"), (15, 15 * 16): line_of("releases.c", "of a node")}, freed)


def dumped(*arguments):
    return subprocess.check_output([f"{BIN}/allocsite-dump", *arguments], text=True)


def own(report):
    """What stands at wrappers: (line, allocations, bytes), of those that have allocated."""
    return [(site["line"], site["allocs"], site["alloc_bytes"]) for site in report["sites"]
            if site.get("wrapper") and site["allocs"]]


def unknown():
    """A wrapper is known in each file that is compiled with the plugin, and has a site from a pointer. Whoever comes to it from
    elsewhere is a caller without a site: nothing stands at the wrapper, wherever it is told."""
    texts = "unknown */", "by_pointer(7)"
    caller, pointer = (line_of("unknown.c", text) for text in texts)
    line, known = line_of("unknown.c", "malloc(n)"), line_of("unknown.c", "grab(100)")
    want = {caller: [(3, 30, 0, 0, 0)], pointer: [(1, 7, 0, 0, 0)], known: [(1, 100, 0, 0, 0)]}

    def check(what, report, is_plain):
        told = sites(report, "unknown.c")
        expect(f"{what}: own", [], own(report))
        expect(f"{what}: known", {known: want[known]} if is_plain else want, {at: told.get(at) for at in told if at in (line, *want)})
        expect(f"{what}: unknown", [1, 1] if is_plain else [0, 0], [unsited(report, 3, 30), unsited(report, 1, 7)])

    for level in LEVELS:
        unit = build("unknown.c", "unknown.o", "-c", "-DWRAPPER", *level.split())
        for is_plain in False, True:
            build("unknown.c", "user.o", "-c", *level.split(), plain=is_plain)
            link = [f"{BIN}/allocsite-clang-{MAJOR}", *level.split(), "user.o", unit, "-o", "unknown"]
            subprocess.run(link, check=True)
            program = os.path.join(WORK, "unknown")
            check(f"{level}, {is_plain}", report_of(run([program], stdin=subprocess.DEVNULL)), is_plain)
    # By the last one, to which all came without a site.
    run([program], "report=none:profile=unknown.profile", stdin=subprocess.DEVNULL)
    dumped("merge", "-o", "unknown.merged", "unknown.profile")
    for profile in "unknown.profile", "unknown.merged":
        check(profile, json.loads(dumped("report", "--format=json", profile)), True)
    with subprocess.Popen([program], env=dict(os.environ, ALLOCSITE_OPTIONS="report=none"), stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        check("while it runs", json.loads(dumped("report", "--format=json", f"pid:{process.pid}")), True)


def off():
    """Nothing is counted, and lifting does no harm."""
    process = run([build("forms.c", "off", "-O0", outside("plain"))], "enabled=0")
    check_behaviour(process)


main([copies, forms, forms_static, same_sites, not_lifted, forms_cxx, library, shapes, stress, unwound, releases, unknown, off])
