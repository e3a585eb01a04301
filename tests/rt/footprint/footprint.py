# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory that the runtime takes from a thread: static TLS, and stack."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

THREAD_LOCAL_MOST = 256  # glibc keeps 1,664 for the libraries of all namespaces together
NAMESPACES = 4  # in addition to the program's own, as allocsite(7) says
GOMP = f"{LIBRARIES}/libgomp.so.1"  # 136 bytes

# A Python may already have loaded libraries with TLS, so a new process opens both, like extension modules.
OPEN_BOTH = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); ctypes.CDLL(sys.argv[2]).part(); print('done'); sys.exit(3)"


def library(*options):
    return build("part.c", "libpart.so", "-shared", "-fPIC", *options)


def sizes_of(command, pattern):
    return [int(size, 16) for size in re.findall(pattern, subprocess.check_output(command, text=True), re.MULTILINE)]


def thread_local_of(module):
    return sum(sizes_of(["readelf", "-lW", module], r"^ +TLS +(?:0x\w+ +){4}(0x\w+)"))


def thread_local():
    shared = thread_local_of(f"{LIB}/liballocsite.so")
    archive = sum(sizes_of(["readelf", "-SW", f"{LIB}/liballocsite.a"], r"\] \.t(?:data|bss)\S* +\w+ +\w+ +\w+ +(\w+)"))
    expect("liballocsite.so has thread-local memory, at most this much", True, 0 < shared <= THREAD_LOCAL_MOST)
    expect("the archive has thread-local memory, at most this much", True, 0 < archive <= THREAD_LOCAL_MOST)
    plain, static = (thread_local_of(build("../variants/program.c", name, "-static", plain=is_plain))
                     for name, is_plain in (("plain", True), ("static", False)))
    expect("a static program needs more of it, at most this much", True, 0 < static - plain <= THREAD_LOCAL_MOST)


def opened_late():
    """An extension module after a library that has used part of the static TLS block."""
    if not os.path.exists(GOMP):
        sys.exit(SKIPPED)
    for options in [], ["-fallocsite-contexts"]:
        process = run([sys.executable, "-c", OPEN_BOTH, GOMP, library(*options)], "format=json:report=opened.json")
        check_behaviour(process)
        check_notes(load("opened.json"), "part.c")


def namespaces():
    """Each namespace has its own runtime, which reports."""
    for options in [], ["-fallocsite-contexts"]:
        part = library(*options)
        for is_plain in False, True:
            program = build("namespaces.c", "namespaces", "-ldl", *(options if not is_plain else []), plain=is_plain)
            process = run([program, part, str(NAMESPACES)])
            check_behaviour(process)
            reports = [load(path) for path in glob.glob("namespaces.*")]
            with_part = [report for report in reports if sites(report, "part.c")]
            expect("reports", (NAMESPACES + (not is_plain), NAMESPACES), (len(reports), len(with_part)))
            for report in with_part:
                check_notes(report, "part.c")
            for old in glob.glob("namespaces.*"):
                os.remove(old)


STACK_MOST = 512, 256  # bytes added to the program's stack at first, and later, as allocsite-cost(7) says
CONTEXTS = "-fallocsite-contexts"
CONFIGURATIONS = [([], ""), ([CONTEXTS], ""), ([], "stack=16"), ([], "sizes=1"), ([], "pairs=1"), ([CONTEXTS], "pairs=1:sizes=1"),
                  ([], "lifetime=1"), ([], "reach=1"), ([], "owners=0"), ([], "signal=USR1")]


def used(program, options="", environment={}):
    """Returns the bytes of stack by step, at the first call and later."""
    def printed(*arguments):
        process = run([program, *arguments], f"report=none:{options}", environment=environment)
        expect(f"{options}: status", 3, process.returncode)
        return process.out.split()
    return {name: [int(bytes) for bytes in printed(str(step))] for step, name in enumerate(printed())}


def stacks():
    """Compares with the plain program, which also paints its stack and measures each call."""
    # Lazy binding would add the dynamic loader's kilobyte to a first call.
    link = ["-Wl,-z,now", "-L.", f"-Wl,-rpath,{WORK}", "-lunsited"]
    build("unsited.c", "libunsited.so", "-shared", "-fPIC", "-Wl,-z,now", plain=True)
    untouched = build("stacks.c", "plain", *link, plain=True)
    plain = used(untouched)
    preloaded = {"LD_PRELOAD": f"{LIB}/liballocsite.so"}
    for options, switches in [*CONFIGURATIONS, (None, ""), (None, "stack=16")]:
        program = untouched if options is None else build("stacks.c", "stacks", *options, *link)
        steps = used(program, switches, preloaded if options is None else {})
        expect("steps", list(plain), list(steps))
        for step, counts in steps.items():
            added = [mine - its for mine, its in zip(counts, plain[step])]
            if any(map(int.__gt__, added, STACK_MOST)):
                wrong.append(f"{options} {switches}: {step} takes {added} bytes more, at first and later")


def coroutines():
    for options, switches in CONFIGURATIONS:
        process = run([build("coroutines.c", "coroutines", "-Wl,-z,now", *options)], f"format=json:report=%e.%p.json:{switches}")
        report = report_of(process)
        check_behaviour(process)
        if switches != "owners=0":
            expect("exact", [], report["inexact_reasons"])
        if "pairs" not in switches:  # calls of free are sites there
            check_notes(report, "coroutines.c")
        if CONTEXTS in options or "stack" in switches:
            seen = {tuple(frame["function"] for frame in stack["frames"]) for stack in report["stacks"]}
            for path in ("third", "second", "body"), ("second", "body"), ("body",):
                expect(f"{options} {switches}: {path} is there", True, any(frames[:len(path)] == path for frames in seen))


def handlers():
    """Signals that arrive while the runtime uses its own stack."""
    for options, switches in ([CONTEXTS], ""), ([], "stack=16"):
        program = build("handlers.c", "handlers", *options, *observer())
        for how in "return", "ra", "jump", "ja", "fork", "switch":
            process = run([program, how], f"format=json:report=%e.%p.json:{switches}", stderr=subprocess.STDOUT)
            expect(f"{options} {switches} {how}", (3, "done\n"), (process.returncode, process.out))
            if process.returncode != 3:
                continue
            report = json.load(open(f"handlers.{process.pid}.json"))
            check_law("in total", report["totals"])
            if how[0] != "j":
                expect(f"{options} {switches} {how}: exact", [], report["inexact_reasons"])
            if how[0] == "r":
                expect(f"{options} {switches} {how}: walks that ended early", 0, report["walks"]["ended_early"])
                paths = [[frame["function"] for frame in stack["frames"]] for stack in report["stacks"]]
                expect(f"{options} {switches} {how}: handlers that came", True, sum("handle" in path for path in paths) > 1000)
                expect(f"{options} {switches} {how}: paths to handlers", [],
                       [path for path in paths if "handle" in path and "run_first" not in path and len(path) != report["walks"]["depth"]])


main([thread_local, opened_late, namespaces, stacks, coroutines, handlers])
