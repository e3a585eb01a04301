# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of several files: whatever shape a wrapper has, and however its file is compiled, packed and linked, the line that
asks for a block is billed. A note with `unsited` stands where no site can be, and who calls is billed; `frees 1 30` tells of
the blocks and bytes that a line frees."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

SYMBOLIZER = os.path.join(os.path.dirname(CLANG), "llvm-symbolizer")
C = "base.c", "wrappers.c", "hooks.c", "shapes.c"
CXX = "arena.cpp", "shapes.cpp"
FREED = re.compile(r"frees (\d+) (\d+)")
TYPE = re.compile(r" of ([\w ]+[\w*])$")
LLD = "-fuse-ld=lld"
QUIET = " -Wno-unused-command-line-argument"
OPENER = """#include <dlfcn.h>
int main(void) {
    void *library = dlopen("./libshapes.so", RTLD_NOW);
    return library ? ((int (*)(void))dlsym(library, "main"))() : 1;
}
"""

# How all is compiled and linked, and how the files are put together.
MODES = [
    ("-O0", "objects"),
    ("-O1", "archive"),
    ("-O2", "objects"),
    ("-O2 -fno-pie -no-pie", "objects"),
    ("-O2 -fno-plt -Wl,-z,now", "objects"),
    ("-O2 -ffunction-sections -Wl,--gc-sections", "archive"),
    (f"-O2 {LLD} -ffunction-sections -Wl,--gc-sections,--icf=all", "objects"),
    ("-O2 -fuse-ld=gold -ffunction-sections -Wl,--gc-sections", "objects"),
    (f"-O0 -flto {LLD}", "objects"),
    (f"-O2 -flto {LLD}", "archive"),
    (f"-O2 -flto=thin {LLD}", "objects"),
    ("-O2 -static", "objects"),
    ("-O0 -static", "archive"),
    ("-O0 -fPIC", "library"),
    ("-O2 -fPIC", "library"),
    ("-O2 -fPIC -fvisibility=hidden", "library"),
    ("-O2 -fPIC -Wl,-Bsymbolic", "library"),
    ("-O2 -fPIC -fno-plt", "library"),
    ("-O2 -fPIC -Wl,--version-script=versions", "library"),
    ("-O2 -fPIC", "opened"),
    ("-O2", "beside"),
    ("-O0", "beside"),
    ("-O2 -fno-pie -no-pie", "beside"),
    ("-O0 -fno-pie -no-pie", "beside"),
    ("-O2 -fPIC -fno-plt", "beside"),
    (f"-O2 -flto {LLD}", "beside"),
    ("-O2 -Wl,--version-script=versions", "beside"),
]
FEW = [("-O0", "objects"), ("-O2", "objects"), ("-O2 -fPIC", "library"), ("-O2", "beside"), ("-O0", "beside")]


def link(out, options, *files, cxx=False):
    subprocess.run([f"{BIN}/allocsite-clang{'++' if cxx else ''}-{MAJOR}", "-pthread", *(options + QUIET).split(), *files, "-o", out],
                   check=True)
    return os.path.join(WORK, out)


def assembled(wrappers, users, options, way, cxx):
    """The program of those files. With a library those of the user are in it, too, or beside it."""
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


def callers(report):
    """id -> file and line of who made a call without a site, in the modules of the test. The call is before the address that
    it returns to."""
    rows = [site for site in report["sites"] if not site["sited"] and site.get("address") and site["module"].startswith(WORK)]
    places = {}
    for module in {row["module"] for row in rows}:
        mine = [row for row in rows if row["module"] == module]
        told = subprocess.run([SYMBOLIZER, "--obj=" + module, "--no-inlines", *[hex(int(row["address"], 16) - 1) for row in mine]],
                              capture_output=True, text=True, check=True).stdout.split("\n\n")
        for row, text in zip(mine, told):
            file, line, _ = text.split("\n")[1].rsplit(":", 2)
            places[row["id"]] = os.path.basename(file), int(line)
    return places


def noted(names):
    return {(name, number): line for name in names for number, line in enumerate(open(source(name)), 1)}


def check(what, report, names, is_linked):
    """All lines, which of them have sites, and what the linker knows of their types."""
    unsited, lines = callers(report), noted(names)
    have = collections.defaultdict(lambda: (0,) * len(COUNTERS))
    freed = collections.Counter()
    places = {site["id"]: unsited.get(site["id"], (os.path.basename(site["file"] or ""), site["line"])) for site in report["sites"]}
    for site in report["sites"]:
        place, counts = places[site["id"]], tuple(site[counter] for counter in COUNTERS)
        if place not in lines or not any(counts) or "@ any" in lines[place]:
            continue
        have[place] = tuple(map(sum, zip(have[place], counts)))
        expect(f"{what}: {place} is sited", "unsited" not in lines[place], site["sited"])
        if is_linked and (told := TYPE.search(lines[place])):
            expect(f"{what}: {place}'s type", told[1], site["type"])
    for pair in report["pairs"]:
        if pair["kind"] == "free":
            freed[places[pair["by"]]] += 1j * pair["bytes"] + pair["count"]
    for place, line in lines.items():
        note = NOTE.search(line)
        expect(f"{what}: {place}", tuple(map(int, note.groups())) if note else None, have.get(place))
        if note := FREED.search(line):
            expect(f"{what}: {place} frees", complex(*map(int, note.groups())), freed.get(place))


def tried(names, options, way, plain=()):
    wrappers = compiled(names[:-1], options + (" -fPIC" if way == "beside" else ""))
    users = compiled(names[-1:], options)
    cxx = names[-1].endswith("pp")
    what = f"{options}, {way}, {names[-1]}"
    for name in plain:
        users.append(name + ".o")
        build(name, users[-1], "-c", "-fPIC", "-fno-optimize-sibling-calls", plain=True)
    process = run([assembled(wrappers, users, options, way, cxx)], "format=json:report=%e.%p.json:pairs=1")
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    # The observer sees the loader's messages to the runtime, which looks for operators that a C program has not.
    if "-static" not in options and not (cxx and way == "opened"):
        check_observed(process, report)
    check(what, report, (*names, *plain), way != "beside")


def prepare():
    with open("versions", "w") as file:
        file.write("SHAPES_1 { global: *; };\n")
    with open("opener.c", "w") as file:
        file.write(OPENER)


def dumped(*arguments):
    return json.loads(subprocess.check_output([f"{BIN}/allocsite-dump", *arguments], text=True))


def lookups():
    """What only looks like a wrapper is no site, and what cannot be one by its declaration is called as ever."""
    prepare()
    for options in "-O0", "-O2":
        objects = compiled(C, options)
        build("plain.c", "plain.o", "-c", plain=True)
        program = link("program", options, *objects, "plain.o")
        callees = {site["callee"] for site in dumped("sites", "--format=json", program)["sites"]}
        expect(f"{options}: wrappers", True, callees >= {"xmalloc", "xstrdup", "slice_of", "hook_strdup", "malloc"})
        expect(f"{options}: lookups", set(), callees & {"registered", "registered_find", "interned", "kept_elsewhere", "find", "find_text", "node_new", "item_at"})
        symbols = subprocess.check_output(["nm", "shapes.c.o"], text=True)
        expect(f"{options}: names of twins", (options == "-O2", False), ("xmalloc.sited" in symbols, " find.sited" in symbols))


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


main([lookups, c, cxx, few])
