# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several files: whatever the shape of a wrapper, and however its file is compiled, archived and linked,
allocations have the same line. The notes of all files add up to the observer's counts."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

C = "base.c", "wrappers.c", "hooks.c", "shapes.c"
CXX = "arena.cpp", "shapes.cpp"
LLD = "-fuse-ld=lld"
QUIET = " -Wno-unused-command-line-argument"
OPENER = """#include <dlfcn.h>
int main(void) {
    void *library = dlopen("./libshapes.so", RTLD_NOW);
    return library ? ((int (*)(void))dlsym(library, "main"))() : 1;
}
"""

# Compiler and linker options, and ways of assembling the files.
MODES = [
    ("-O0", "objects"),
    ("-O1", "archive"),
    ("-O2 -fno-pie -no-pie", "objects"),
    (f"-O2 {LLD} -ffunction-sections -Wl,--gc-sections,--icf=all", "objects"),
    ("-O2 -fuse-ld=gold -ffunction-sections -Wl,--gc-sections", "archive"),
    (f"-O2 -flto {LLD}", "archive"),
    (f"-O2 -flto=thin {LLD}", "objects"),
    ("-O2 -static", "objects"),
    ("-O2 -fPIC", "library"),
    ("-O0 -fPIC -Wl,--version-script=versions", "library"),
    ("-O2 -fPIC", "opened"),
    ("-O0", "beside"),
    ("-O2 -fPIC -fno-plt", "beside"),
    (f"-O2 -flto {LLD}", "beside"),
]
FEW = [("-O0", "objects"), ("-O2", "objects"), ("-O2 -fPIC", "library"), ("-O2", "beside"), ("-O0", "beside")]


def link(out, options, *files, cxx=False):
    subprocess.run([f"{BIN}/allocsite-clang{'++' if cxx else ''}-{MAJOR}", "-pthread", *(options + QUIET).split(), *files, "-o", out],
                   check=True)
    return os.path.join(WORK, out)


def assembled(wrappers, users, options, way, cxx):
    """Builds the program. With a library, the user's files are part of it or separate."""
    observed = [] if "-static" in options else observer()
    if way == "objects":
        return link("program", options, *users, *wrappers, *observed, cxx=cxx)
    if way == "archive":
        subprocess.run(["ar", "rcs", "libshapes.a", *wrappers], check=True)
        return link("program", options, *users, "libshapes.a", *observed, cxx=cxx)
    link("libshapes.so", f"{options} -shared", *wrappers, *(users if way != "beside" else []), cxx=cxx)
    if way == "opened":
        return build(os.path.join(WORK, "opener.c"), "program", "-ldl", *observed)
    plain = re.sub("-Wl,--version-script=versions", "", options)
    return link("program", plain, *(users if way == "beside" else []), *observed, "-Wl,--no-as-needed,-rpath,.", "libshapes.so", cxx=cxx)


def compiled(names, options):
    objects = [name + ".o" for name in names]
    for name, out in zip(names, objects):
        build(name, out, "-c", *(options + QUIET).split())
    return objects


def noted(names):
    return {(name, number): line for name in names for number, line in enumerate(open(source(name)), 1)}


def check(what, report, names):
    """Compares all lines."""
    lines = noted(names)
    have = collections.defaultdict(lambda: (0,) * len(COUNTERS))
    for row in rows(report):
        place, counts = (os.path.basename(row["file"] or ""), row["line"]), tuple(row[counter] for counter in COUNTERS)
        if place not in lines or not any(counts) or "@ any" in lines[place]:
            continue
        have[place] = tuple(map(sum, zip(have[place], counts)))
    for place, line in lines.items():
        note = NOTE.search(line)
        expect(f"{what}: {place}", tuple(map(int, note.groups())) if note else None, have.get(place))


def tried(names, options, way, plain=()):
    wrappers = compiled(names[:-1], options + (" -fPIC" if way == "beside" else ""))
    users = compiled(names[-1:], options)
    cxx = names[-1].endswith("pp")
    what = f"{options}, {way}, {names[-1]}"
    for name in plain:
        users.append(name + ".o")
        build(name, users[-1], "-c", "-fPIC", "-fno-optimize-sibling-calls", plain=True)
    process = run([assembled(wrappers, users, options, way, cxx)], "format=json:report=%e.%p.json")
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    # The observer counts the loader's messages for failed look-ups of operators, which a C program does not have.
    if "-static" not in options and not (cxx and way == "opened"):
        check_observed(process, report)
    check(what, report, (*names, *plain))


def prepare():
    with open("versions", "w") as file:
        file.write("SHAPES_1 { global: *; };\n")
    with open("opener.c", "w") as file:
        file.write(OPENER)


def c():
    prepare()
    for options, way in MODES:
        tried(C, options, way, ("plain.c",))


def cxx():
    prepare()
    for options, way in MODES:
        tried(CXX, options, way)


def few():
    prepare()
    for options, way in FEW:
        tried(C, options, way, ("plain.c",))
        tried(CXX, options, way)


main([c, cxx, few])
