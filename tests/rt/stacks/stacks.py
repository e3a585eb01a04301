# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stack walks, compared with the C library's backtrace(): the laws, which sites have stacks, and stacks that do not
fit."""
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

STATIC = [f"@{LIB}/allocsite/static.opts"]
OPENER = os.path.join("..", "callers", "opener.c")
INCLUDE = "-I" + os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "rt", "lib")
SHARED = ["-Wl,--no-as-needed", f"-L{LIB}", "-lallocsite", f"-Wl,-rpath,{LIB}"]
REPORT = "format=json:report=%e.%p.json:"
build_with_paths = build


def build(name, out, *options, plain=False):
    """Builds without call paths, so that stacks are walked."""
    return build_with_paths(name, out, *(() if plain else ("-fallocsite-contexts=0",)), *options, plain=plain)


def sums(stacks):
    """Returns the sums of the stacks' counts by site id."""
    found = {}
    for stack in stacks:
        of = found.setdefault(stack["site"], collections.Counter())
        for name, count in stack.items():
            if isinstance(count, int) and not name.startswith("max_") and name != "line":
                of[name] += count
    return found


def check_stacks(report):
    """Each stack obeys law 1, and a site's counts are the sums of its stacks."""
    found = sums(report["stacks"])
    for stack in report["stacks"]:
        check_law(f"stack of {stack['site']}", stack)
        expect("frames", True, 0 < sum(not frame["inlined"] for frame in stack["frames"] if not frame["inlined"]) <= report["walks"]["depth"])
    for site in report["sites"]:
        of = found.get(site["id"], {})
        expect(f"stacks of {site['function']}:{site['line']}", {name: site[name] for name in of}, dict(of))
        expect("bound", True, site["max_live_blocks"] + site["max_live_blocks_within"] >= site["live_blocks"])


def walked(report):
    """Returns the stacks with more than the frames of their sites. Frames of calls in the source have no address."""
    sited = {site["id"] for site in report["sites"] if site["sited"]}
    return [stack for stack in report["stacks"]
            if stack["frames"][0]["address"] and (stack["site"] in sited or sum(not frame["inlined"] for frame in stack["frames"]) > 1)]


def frame_names(stack):
    return tuple(f"{os.path.basename(frame['module'])}+{frame['address']}" for frame in stack["frames"] if not frame["inlined"])


def is_start_up(frame, program):
    module, address = frame.split("+")
    with open(program, "rb") as file:
        entry = int.from_bytes(file.read(32)[24:], "little")
    return module == "libc.so.6" or (module == program and 0 <= int(address, 16) - entry < 64)


def observed(path, depth, program):
    """Returns how often each stack of `depth` frames occurs, without the innermost frame, which also calls backtrace,
    and without those that start the program and its threads."""
    found = collections.Counter()
    for line in open(path):
        count, _, *frames = line.split()
        frames = frames[:depth - 1]
        while frames and is_start_up(frames[-1], program):
            frames.pop()
        found[tuple(frames)] += int(count)
    return found


def check_chains(name, depth, *options, driver=False):
    program = build("chains.cpp", name, *options, *(() if driver else SHARED), plain=not driver)
    process = run([program, f"{name}.stacks"], f"{REPORT}stack={depth}")
    report = report_of(process)
    check_behaviour(process)
    check_stacks(report)
    counted = collections.Counter()
    for stack in walked(report):
        names = frame_names(stack)
        if names[0].startswith(f"{name}+") and stack["alloc_bytes"] < 100 * stack["allocs"]:
            counted[names[1:]] += stack["allocs"]
    what = f"stacks, {' '.join(options[:2])}, stack={depth}"
    wanted = observed(f"{name}.stacks", depth, name)
    expect(f"{what}, missing", {}, dict(list((wanted - counted).items())[:3]))
    expect(f"{what}, too many", {}, dict(list((counted - wanted).items())[:3]))
    walks = report["walks"]
    expect("depth", (depth, 0, 0), (walks["depth"], walks["without_stack"], walks["ended_early"]))


def chains():
    for depth in (2, 8, 64):
        check_chains("chains", depth, "-O0")
    check_chains("chains", 64, "-O0", driver=True)


def optimised():
    check_chains("optimised", 64, "-O2", "-fno-omit-frame-pointer", "-mno-omit-leaf-frame-pointer", "-DOPTIMISED")
    check_chains("optimised", 64, "-O2", "-fomit-frame-pointer", "-DOPTIMISED")
    check_chains("optimised", 5, "-O2", "-fomit-frame-pointer", "-DOPTIMISED", driver=True)
    check_chains("optimised", 8, "-O1", "-no-pie", "-DPOSITION_DEPENDENT", "-DOPTIMISED")


def laws():
    program = build("laws.c", "laws", INCLUDE, *observer())
    for options in ("stack=8", "stack=1", "stack=64:pairs=1:sizes=1"):
        process = run([program], REPORT + options)
        check_behaviour(process)
        report = report_of(process)
        check_observed(process, report)
        reports = all_reports()
        expect("reports", 2, len(reports))
        for each in reports:
            check_stacks(each)
            expect("exact", [], each["inexact_reasons"])


def check_program(name, program):
    process = run([program], f"{REPORT}stack=8")
    report = report_of(process)
    expect(f"{name}, status", True, process.returncode in (0, 3))
    expect(f"{name}, exact", [], report["inexact_reasons"])
    check_observed(process, report)
    check_stacks(report)


def programs():
    """Counts that other tests check exactly stay exact with stacks."""
    for name in ("threads.cpp", "jumps.cpp", "signals.c", "streams.cpp", "replaced.cpp"):
        check_program(name, build(os.path.join("..", "process", name), name.split(".")[0], *observer()))


def signals():
    """A handler that walks may interrupt its thread's first walk, which is rare."""
    program = build(os.path.join("..", "process", "signals.c"), "signals", *observer())
    for _ in range(15):
        check_program("signals.c", program)


def static():
    program = build("laws.c", "laws", INCLUDE, "-static", *STATIC)
    process = run([program], REPORT + "stack=8")
    check_behaviour(process)
    for report in all_reports():
        check_stacks(report)


def odd():
    """No stack, however odd, makes a walk crash, and the sums are right."""
    for options in ([], ["-O2", "-fomit-frame-pointer"], ["-static", *STATIC]):
        program = build("odd.c", "odd", *options)
        for depth in (8, 64):
            process = run([program], f"{REPORT}stack={depth}")
            check_behaviour(process)
            report = report_of(process)
            check_stacks(report)
            expect("exact", [], report["inexact_reasons"])
            jitted = [stack for stack in walked(report) if any(not frame["module"].startswith("/") for frame in stack["frames"] if not frame["inlined"])]
            expect("frames of code that was made at run time", True, bool(jitted))


def first_frame(stack, modules):
    """Returns the index of the innermost frame in one of the modules."""
    return next((number for number, frame in enumerate(stack["frames"]) if frame["module"] in modules), None)


def opened():
    """The stack is the same each time, wherever the library is loaded, and never that of another library at its
    address."""
    libraries = [build("opened.c", f"libopened{size}.so", f"-DSIZE={size}", f"-DINNER=inner{size}", f"-DOUTER=outer{size}", "-shared", "-fPIC") for size in (100, 600)]
    program = build(OPENER, "opener", "-ldl", "-rdynamic")
    process = run([program, *libraries], REPORT + "stack=8")
    report = report_of(process)
    check_behaviour(process)
    check_stacks(report)
    for depth, what in enumerate(("in the library", "behind the program's own function")):
        stacks = [stack for stack in walked(report) if first_frame(stack, libraries) == depth]
        expect(what, [(5000, 500000), (5000, 3000000)], sorted((stack["allocs"], stack["alloc_bytes"]) for stack in stacks))


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, 1 << 36))


def many():
    """More stacks than fit, in a process with limited address space."""
    program = build("many.c", "many")
    process = run([program], REPORT + "stack=64", preexec_fn=limit)
    report = report_of(process)
    check_behaviour(process)
    of, = [site for site in report["sites"] if site["function"] == "take"]
    stacks = [stack for stack in walked(report) if stack["site"] == of["id"]]
    cut = [stack for stack in stacks if stack["frames"][-1]["function"] == "(cut)"]
    expect("whole stacks that are kept, about a quarter of the room", True, 1024 <= len(stacks) - len(cut) <= 2048)
    expect("cut ones", True, 0 < len(cut) <= 2048)
    expect("exact", [], report["inexact_reasons"])
    expect("allocations", 3 << 14, of["allocs"])
    expect("those cut", sum(stack["allocs"] for stack in cut), report["walks"]["cut"])
    expect("those without", 0, report["walks"]["without_stack"])
    process = run([program], "stack=64:profile=many.profile", preexec_fn=limit)
    expect("no steps of stacks that are not kept", True, os.path.getsize("many.profile") < 1800000)
    expect("text", True, re.search(r"paths: up to 64 frames; .*calls are shown with\s+their\s+innermost callers alone",
                                   process.err) is not None)


def callbacks():
    """A callback's stack contains the frame that called the C library's function."""
    process = run([build("callbacks.c", "callbacks")], REPORT + "stack=16")
    report = report_of(process)
    check_behaviour(process)
    for callback, called in (("filter", "scandir"), ("reader", "getdelim")):
        names = {name for stack in walked(report) if stack["frames"][0]["function"] == callback
                 for name in [frame["function"] for frame in stack["frames"]][1:]}
        expect(f"frames of {callback} within {called}", (True, True), (any(called in name for name in names), "main" in names))


def by_frames(report):
    ids = {site["id"]: site for site in report["sites"]}
    return {(ids[stack["site"]]["module"], stack["site"], frame_names(stack)):
            {name: count for name, count in stack.items() if isinstance(count, int)} for stack in walked(report)}


def profiled():
    """A profile equals the report, also for the child."""
    program = build("laws.c", "laws", INCLUDE)
    process = run([program], REPORT + "stack=8:profile=%e.%p.profile")
    check_behaviour(process)
    for report in all_reports():
        told = subprocess.run([f"{BIN}/allocsite-dump", "report", "--format=json", f"laws.{report['pid']}.profile"],
                              capture_output=True, text=True)
        expect("reading", (0, ""), (told.returncode, told.stderr))
        read = json.loads(told.stdout)
        check_laws(read)
        check_stacks(read)
        wanted, have = by_frames(report), by_frames(read)
        expect("stacks that differ", [], [key for key in wanted.keys() | have.keys() if wanted.get(key) != have.get(key)][:3])
        expect("walks", report["walks"], read["walks"])


main((chains, optimised, laws, programs, signals, static, odd, opened, many, callbacks, profiled))
