# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calling contexts: a program that keeps them has the same stacks as if every stack were walked."""
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import harness
from harness import *

CONTEXTS = "-fallocsite-contexts"
CHECKED = "format=json:report=%e.%p.json:contexts_check=1"


def library():
    subprocess.run([CLANG, "-O1", "-g", "-fPIC", "-shared", source("library.c"), "-o", "liblibrary.so"], check=True)
    return ["./liblibrary.so", f"-Wl,-rpath,{WORK}"]


def stacks(program, profile, is_checked):
    """Returns the calls by (site, frames), where frames have function and line."""
    check_behaviour(run([program], f"report=none:profile={profile}.profile:contexts_check={is_checked}"))
    dumped = subprocess.run([f"{BIN}/allocsite-dump", "report", "--format=json", f"{profile}.profile"],
                            check=True, capture_output=True, text=True)
    expect("complaints", "", dumped.stderr)
    report = json.loads(dumped.stdout)
    expect("without stack", 0, report["walks"]["without_stack"])
    site = {site["id"]: (site["function"], site["line"], site["callee"]) for site in report["sites"]}
    counted = collections.Counter()
    for stack in report["stacks"]:
        # A function without a name is shown by its address, which differs between builds.
        frames = tuple(((frame["function"] or "").partition(" at 0x")[0], frame.get("line")) for frame in stack["frames"])
        counted[site[stack["site"]], frames] += stack["allocs"] + stack["reallocs"]
    return counted


def check(name, *options, used=None, cases=([], ["with a timer"]), least=100):
    out = name.split(".")[0]
    used = library() if used is None else used
    program = build(name, f"{out}_kept", CONTEXTS, *options, *used)
    for arguments in cases:
        process = run([program, *arguments], CHECKED)
        check_behaviour(process)
        report = report_of(process)
        expect(f"{options} {arguments}: exact", [], report["inexact_reasons"])
        expect(f"{options} {arguments}: stacks", True, len(report["stacks"]) > least)
    kept, walked = (stacks(program, f"{out}_{how}", check) for how, check in (("kept", "0"), ("walked", "1")))
    for stack in sorted(kept.keys() | walked.keys(), key=str):
        if kept[stack] != walked[stack]:
            wrong.append(f"{options}: {stack[0]} by {stack[1][:12]}...: {kept[stack]}, but {walked[stack]} when walked")


def name_of(frame):
    """Returns the name as in __func__; names in reports may be mangled."""
    symbol = re.match(r"_ZN?K?L?(?=\d)", frame["function"])
    name, rest = frame["function"].partition("(")[0].rpartition("::")[2], frame["function"][symbol.end():] if symbol else ""
    while size := re.match(r"\d+", rest):
        name, rest = (rest[size.end():][:int(size[0])], rest[size.end() + int(size[0]):])
    return name.partition(".")[0]


def check_books(program, what, *arguments, ignored=()):
    """The report's stacks equal, frame by frame, those that the program recorded itself."""
    process = run([program, *arguments], CHECKED.replace("check=1", "check=0:contexts=65520"))
    check_behaviour(process)
    report = report_of(process)
    expect(f"{what}: exact", [], report["inexact_reasons"])
    expect(f"{what}: cut", 0, report["walks"]["cut"])
    expect(f"{what}: without stack", 0, report["walks"]["without_stack"])
    books, told = collections.Counter(), collections.Counter()
    for line in open("books"):
        count, *path = line.split()
        books[tuple(path)] += int(count)
    module = os.path.realpath(program)
    for stack in report["stacks"]:
        frames = [name_of(frame) for frame in stack["frames"] if frame["module"] == module]
        if frames and frames[0] != "main" and "write_books" not in frames:
            told[tuple(name for name in frames if name not in ignored)] += stack["allocs"]
    for path in sorted(books.keys() | told.keys()):
        if books[path] != told[path]:
            wrong.append(f"{what}: {told[path]} by {' < '.join(path[:12])}, but {books[path]} in the books")
    expect(f"{what}: many paths", True, len(books) > 1000)


def books():
    """At all levels of optimization."""
    used = library()
    for level in "-O0", "-O1", "-O2", "-O3", "-Os":
        program = build("books.cpp", "books_kept", CONTEXTS, level, *used)
        check_books(program, level, "1")


def migrating():
    """Coroutines on mmap'ed stacks that migrate between threads."""
    for level in "-O0", "-O2":
        program = build("migrating_books.cpp", "migrating_books", CONTEXTS, level)
        check_books(program, level)


def recursion():
    """Recursion through one call site, with frames of many sizes."""
    paths = {"leaf main": 1, "leaf first main": 2, "leaf flat main": 1, "leaf recursive recursive recursive recursive main": 1}
    for level in "-O0", "-O1", "-O2", "-O3":
        program = build("recursion.c", "recursion", CONTEXTS, level)
        for size in range(160, 400, 16):
            process = run([program, str(size)])
            check_behaviour(process)
            report = report_of(process)
            expect(f"{level} {size}: exact", [], report["inexact_reasons"])
            told = collections.Counter()
            for stack in report["stacks"]:
                path = " ".join(name_of(frame) for frame in stack["frames"] if frame["module"] == os.path.realpath(program))
                told[path] += stack["allocs"] if path.startswith("leaf") else 0
            expect(f"{level} {size}: paths", paths, dict(+told))


def cycles():
    """Ten million tail calls in a cycle use constant stack. Only functions of the cycle may be missing in stacks. The function
    that run_NAME calls is there, without a line if another one has replaced it."""
    first = {"mutual": "mutual_even", "threaded": "threaded_call", "machine": "machine_in", "unlike": "unlike_first",
             "self": "self_same", "must": "must_forth"}
    for level in "-O2", "-O3", "-Os":
        program = build("cycles.c", "cycles", CONTEXTS, level)
        for options in CHECKED, CHECKED.replace("check=1", "check=0"):
            process = run([program], options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 19, 1 << 19)))
            check_behaviour(process)
            report, seen = report_of(process), collections.Counter()
            expect(f"{level}: exact", [], report["inexact_reasons"])
            sited = {site["id"] for site in report["sites"] if site["sited"]}
            for stack in report["stacks"]:
                if stack["site"] not in sited:
                    continue
                names = [name_of(frame) for frame in stack["frames"] if frame["module"] == os.path.realpath(program)]
                text = f"{stack['allocs']} {' '.join(names)}"
                found = re.fullmatch(r"(\d+) (last )?((\w+)_\w+ )?(\w+) run_(\w+) main", text)
                if found and found[4] in (None, found[6]) and found[5] == first[found[6]]:
                    seen[found[6]] += int(found[1])
                    lines = [frame["line"] for frame in stack["frames"] if name_of(frame) == found[5]]
                    expect(f"{level}: line of the first function in {text}", found[3] is None, lines != [0])
                else:
                    wrong.append(f"{level}: {text}")
            expect(f"{level}: calls", {"mutual": 41, "threaded": 15, "machine": 40, "unlike": 14, "self": 21, "must": 500003}, dict(seen))


def ways():
    for options in ("-O0",), ("-O2",), ("-O3", "-fno-omit-frame-pointer"):
        check("ways.cpp", *options)


def static():
    subprocess.run([CLANG, "-O1", "-g", "-c", source("library.c"), "-o", "library.o"], check=True)
    check("ways.cpp", "-O2", "-static", used=["library.o"])


def optimised_at_linking():
    for kind in "full", "thin":
        check("ways.cpp", "-O2", f"-flto={kind}", "-fuse-ld=lld")


def coroutines():
    """C++20 coroutines."""
    majors = [major for major in (14, 16, 19, 22) if os.path.exists(f"{BIN}/allocsite-clang++-{major}")]
    if not majors:
        sys.exit(SKIPPED)
    for major in majors:
        harness.MAJOR = major
        for level in "-O0", "-O2":
            check("coroutines.cpp", "-std=c++20", level, used=[], cases=[[]], least=10)
            program = build("coroutine_books.cpp", "coroutine_books", CONTEXTS, "-std=c++20", level)
            # Optimizers may drop the inlined frame of std::coroutine_handle::resume.
            check_books(program, f"clang {major} {level}", ignored=("resume",))


def elsewhere():
    """Coroutines whose bodies are in other code."""
    for level in "-O0", "-O2":
        program = build("elsewhere.c", "elsewhere", CONTEXTS, level, *library())
        for options in CHECKED, CHECKED.replace("check=1", "check=0"):
            process = run([program], options)
            check_behaviour(process)
            report = report_of(process)
            expect(f"{level}: exact", [], report["inexact_reasons"])
            calls = collections.Counter()
            for stack in report["stacks"]:
                functions = [frame["function"] for frame in stack["frames"]]
                if "library_between" in functions:
                    calls[functions[functions.index("library_between") + 1]] += stack["allocs"]
            expect(f"{level}: around a coroutine", {"left": 12, "right": 4}, dict(calls))


def opened():
    """Libraries that are closed, and other libraries that are then loaded at their addresses."""
    for name in "first", "second":
        build("opened.c", f"lib{name}.so", CONTEXTS, "-fPIC", "-shared", f"-DNAME={name}")
    program = build("opened.c", "opened", CONTEXTS, "-ldl")
    for options in "", ":contexts_check=1":
        process = run([program], "format=json:report=%e.%p.json" + options)
        check_behaviour(process)
        report = report_of(process)
        expect(f"exact{options}", [], report["inexact_reasons"])
        calls = collections.Counter()
        for stack in report["stacks"]:
            for frame in stack["frames"]:
                calls[os.path.basename(frame["module"] or "")] += stack["allocs"] if "lib" in (frame["module"] or "") else 0
        # Two frames for each of two allocations, the second of which runs twice as often.
        expect(f"calls{options}", (5 * 4, 10 * 4), (calls["libfirst.so"], calls["libsecond.so"]))


CUT = "(cut)"


def innermost(stack):
    """Returns the lines of the first four calls by descent.c's functions, without those that occur again further out."""
    lines = [frame["line"] for frame in stack["frames"][1:] if (frame["file"] or "").endswith("descent.c")]
    return tuple((list(dict.fromkeys(lines)) + [0] * 4)[:4])


def descent():
    """With far more paths than fit, lines and callers still equal the program's own books."""
    for level, option in ("-O0", ""), ("-O2", ":contexts_check=1"), ("-O2", ":contexts=1000"):
        program = build("descent.c", "descent", CONTEXTS, level, "-lpthread")
        process = run([program], f"format=json:report=%e.%p.json{option}")
        check_behaviour(process)
        report = report_of(process)
        books = {tuple(map(int, place.split())): int(count) for place, count in re.findall("(.*): (.*)", open("books").read())}
        told, cut = collections.Counter(), 0
        for stack in report["stacks"]:
            cut += stack["allocs"] if stack["frames"][-1]["function"] == CUT else 0
            if stack["frames"][0]["function"] == "make":
                told[innermost(stack)] += stack["allocs"]
                expect("line", True, stack["frames"][stack["line"]]["line"] == innermost(stack)[0])
        expect(f"{level}{option}: lines and callers", books, dict(told))
        expect(f"{level}{option}: many", True, len(books) > 30 and cut > 50000)
        expect(f"{level}{option}: cut", cut, report["walks"]["cut"])
        expect(f"{level}{option}: without stack", 0, report["walks"]["without_stack"])
        expect(f"{level}{option}: exact", [], report["inexact_reasons"])


def bounded():
    """If even truncated paths do not fit into the table, calls are counted for their site, and the report says so."""
    program = build("ways.cpp", "bounded", CONTEXTS, *library())
    process = run([program], "format=json:report=%e.%p.json:profile=bounded.profile:contexts=20")
    check_behaviour(process)
    report = report_of(process)
    told = re.findall("([0-9,]+) calls? without a path", dump("report", "--by=stack", "--top=0", "bounded.profile"))
    expect("without a path", report["walks"]["without_stack"], sum(int(calls.replace(",", "")) for calls in told))
    expect("stacks", True, len(report["sites"]) < len(report["stacks"]) <= len(report["sites"]) + 20 + 10)


def mixed():
    """Files without contexts, and programs with contexts turned off."""
    used = library()
    program = build("ways.cpp", "mixed", CONTEXTS, *used)
    for options, has_stacks in ("contexts=0", False), ("contexts=0:stack=4", True), ("owners=0", False):
        process = run([program], f"format=json:report=%e.%p.json:{options}")
        check_behaviour(process)
        stacks = json.load(open(f"mixed.{process.pid}.json"))["stacks"]
        expect(f"{options}: stacks", has_stacks, any(not frame["inlined"] for stack in stacks for frame in stack["frames"][:-1]))


def dump(*arguments):
    return subprocess.run([f"{BIN}/allocsite-dump", *arguments], check=True, capture_output=True, text=True).stdout


def named():
    """JSON names the modules for which stacks are walked each time, and nothing if there are none."""
    used = library()
    without = "-fallocsite-contexts=0"
    parts = {"all": (CONTEXTS, CONTEXTS), "part": (CONTEXTS, without), "none": (without, CONTEXTS)}
    for name, (first, second) in parts.items():
        for source_name, option in ("first.c", first), ("second.c", second):
            subprocess.run([f"{BIN}/allocsite-clang-{MAJOR}", "-O1", "-g", *option.split(), "-c", source(source_name)],
                           check=True)
        subprocess.run([f"{BIN}/allocsite-clang-{MAJOR}", "first.o", "second.o", *used, "-o", name], check=True)
    walked = {"all": [], "part": [os.path.join(WORK, "part")], "none": [os.path.join(WORK, "none")]}
    for name, modules in walked.items():
        process = run([f"./{name}"], f"format=json:report=%e.%p.json:profile={name}.profile")
        walks = report_of(process)["walks"]
        expect(name, modules, walks.get("without_contexts", []))
    process = run(["./all", "a library"])
    expect("library", [os.path.join(WORK, "liblibrary.so")], report_of(process)["walks"]["without_contexts"])
    dump("merge", "-o", "both.profile", "part.profile", "none.profile", "all.profile")
    both = json.loads(dump("report", "--format=json", "both.profile"))
    expect("merged", walked["part"] + walked["none"], both["walks"]["without_contexts"])


def deep():
    """In deep recursion only new frames are walked. The second program is a million frames deep and would otherwise
    have 10,000 million frames to walk. A report has at most as many frames as fit in memory."""
    for level in "-O0", "-O2":
        check("deep.c", level, used=["-lpthread"], cases=[[]])
    check_behaviour(run([build("deep.c", "deepest", CONTEXTS, "-O1", "-lpthread"), "10000", "100"], "report=none"))
    expect("deepest", (3, ""), (lambda process: (process.returncode, process.err))(run(["./deepest", "6000", "0"], "report=/dev/null")))


main([books, migrating, recursion, cycles, ways, static, optimised_at_linking, coroutines, elsewhere, opened, bounded, mixed, named, deep, descent])
