# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes in all conditions: counts equal the notes in the source and the observer's, and the program behaves as
without allocsite."""
import errno
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *


def check_direct(what, report):
    """Another malloc precedes allocsite: checks the calls of plain.c that pass a site directly to the runtime."""
    have = sites(report, "plain.c")
    for line, counts in notes("plain.c").items():
        if "strdup" not in open(source("plain.c")).read().splitlines()[line - 1]:
            expect(f"{what}, plain.c:{line}", counts, have.get(line))


def threads():
    exact("threads.cpp")


def jumps():
    exact("jumps.cpp")


def plain():
    exact("plain.c")


def forks():
    process = run([build("forks.c", "forks")])
    check_behaviour(process)
    check_notes(report_of(process), "forks.c")
    counts = sorted(report["totals"]["allocs"] for report in all_reports() if report["pid"] != process.pid)
    expect("allocations of the children", [100, 1000, 10000], counts)


def unwiped():
    """If the kernel refuses to wipe memory on fork, or an emulator only pretends to, forked children still count from
    zero, and a child of _Fork says that it does not."""
    launcher = build("unwiped.c", "unwiped", plain=True)
    for linking in [], ["-static"]:
        program = build("forks.c", "forks", *linking)
        for error in 0, errno.EINVAL:
            process = run([launcher, str(error), program])
            if process.returncode == SKIPPED:
                sys.exit(SKIPPED)
            check_behaviour(process)
            parent = load(f"forks.{process.pid}.json")
            check_notes(parent, "forks.c") if error else None
            # If the kernel lies, the child of _Fork counts in its parent's file, and both reports say so.
            expect("reasons, parent", 0 if error else 1, len(parent["inexact_reasons"]))
            children = [json.load(open(path)) for path in glob.glob("*.json")]
            children = {report["totals"]["allocs"]: report for report in children if report["pid"] != process.pid}
            expect(f"{linking} {error}: allocations of the children", [100, 1000], sorted(children)[:2])
            for allocs, report in children.items():
                made_by_fork = allocs in (100, 1000)
                expect(f"{linking} {error}: {allocs}: exact", made_by_fork, report["exact"])
                expect("reason", [not made_by_fork], ["wipe" in reason for reason in report["inexact_reasons"] or [""]])
                if made_by_fork:
                    check_laws(report)
            expect("children", 3 if error else 2, len(children))


def signals():
    process = run([build("signals.c", "signals", *observer())])
    report = report_of(process)
    check_behaviour(process, out=process.out)
    calls = sum(site["allocs"] for site in report["sites"] if site["sited"] and site["callee"] != "pthread_create")
    expect("allocations that the program made", int(process.out or 0), calls)
    check_observed(process, report)


def opened():
    library = build("opened.c", "libopened.so", "-shared", "-fPIC")
    for driver, plain_opener in (("instrumented", False), ("uninstrumented", True)):
        program = build("opener.c", "opener", "-ldl", *observer(), plain=plain_opener)
        # The malloc of an uninstrumented program precedes a library that is opened, so the runtime is preloaded.
        environment = {"LD_PRELOAD": f"{LIB}/liballocsite.so"} if plain_opener else {}
        process = run([program, library], environment=environment)
        report = report_of(process)
        check_behaviour(process, err=process.err)
        check_notes(report, "opened.c")
        check_observed(process, report)
        modules = [site["module"] for site in report["sites"] if site["module"] == library]
        expect(f"sites of the library in an {driver} program", 4, len(modules))
    # The observer never frees memory, so growth is measured without it.
    check_behaviour(run([build("opener.c", "opener", "-ldl"), library, "many"]))


def stack_is_of(report, stack, callee):
    return callee in [site["callee"] for site in report["sites"] if site["id"] == stack["site"]]


def replaced():
    """With the C++ library shared or static; operators that the program does not define are the runtime's."""
    for options in [], ["-static-libstdc++"]:
        process = run([build("replaced.cpp", "replaced", *options, *observer())])
        check_behaviour(process, out="3\n")
        report = report_of(process)
        check_notes({**report, "stacks": [stack for stack in report["stacks"] if not stack_is_of(report, stack, "malloc")]}, "replaced.cpp")
        if not options:  # otherwise the observer counts what the loader allocates for failed look-ups
            check_observed(process, report)


def preloaded():
    """An uninstrumented program, counted by module."""
    subprocess.run([CLANG, "-O1", source("plain.c"), "-o", "uninstrumented"], check=True)
    observer()
    process = run([os.path.join(WORK, "uninstrumented")],
                  environment={"LD_PRELOAD": f"{LIB}/liballocsite.so {WORK}/libobserver.so"})
    report = report_of(process)
    check_behaviour(process)
    check_observed(process, report)
    expect("allocations of the program", 103,
           sum(site["allocs"] for site in report["sites"] if os.path.basename(site["module"]) == "uninstrumented"))


def stubs():
    """Addresses of functions that are PLT stubs of the executable, compiled with and without the plugin."""
    subprocess.run([CLANG, "-O0", "-fno-pie", "-no-pie", source("stubs.c"), "-o", "uninstrumented"], check=True)
    for program, environment in ((os.path.join(WORK, "uninstrumented"), {"LD_PRELOAD": f"{LIB}/liballocsite.so"}),
                                 (build("stubs.c", "instrumented", "-O0", "-fno-pie", "-no-pie"), {})):
        process = run([program], environment=environment)
        check_behaviour(process)
        report = report_of(process)
        expect("allocations of the program", (100, 100), tuple(sum(
            site[counter] for site in report["sites"] if site["module"] == program) for counter in ("allocs", "frees")))


def resolved():
    """Allocations of a function that the loader calls to resolve another (IFUNC), also with more options."""
    report = exact("resolved.c", "-Wl,-z,now")
    expect("threads", (0, 1), (report["peak_within"], len(report["threads"])))
    process = run([os.path.join(WORK, "resolved")], "format=json:report=%e.%p.json:pairs=1:sizes=1:lifetime=1:stack=8")
    check_behaviour(process)
    check_notes(report_of(process), "resolved.c")


def other_copies():
    """An allocator that also defines functions that copy strings without calling its malloc."""
    for options in "", ":sizes=1":
        process = run([build("plain.c", "plain", *observer("-DOBSERVED_COPIES"))], "format=json:report=%e.%p.json" + options)
        check_behaviour(process)
        report = report_of(process)
        check_notes(report, "plain.c")
        check_observed(process, report)
    process = run([build("plain.c", "uninstrumented", plain=True)],
                  environment={"LD_PRELOAD": f"{LIB}/liballocsite.so {WORK}/libobserver.so"})
    check_behaviour(process)
    expect("said", True, "past allocsite's" in report_of(process)["inexact_reasons"][0])


def other_allocators():
    for library in ("jemalloc", "tcmalloc", "tcmalloc_minimal", "mimalloc"):
        path = f"{LIBRARIES}/lib{library}.so"
        if not os.path.exists(path):
            continue
        for name in ("plain.c", "threads.cpp", "replaced.cpp"):
            linked = run([build(name, "linked", path)])
            # The allocators' nothrow new does not call the program's new, but the program's delete frees its blocks.
            report = report_of(linked, faulty=name == "replaced.cpp")
            expect(f"{library} {name} status", 3, linked.returncode)
            expect(f"{library} {name} exact", [], report["inexact_reasons"])
            if name != "replaced.cpp":
                check_notes(report, name)
        for name in ("plain.c", "threads.cpp"):
            preloaded = run([build(name, "preloaded")], environment={"LD_PRELOAD": path})
            report = report_of(preloaded)
            check_behaviour(preloaded)
            expect(f"{library} preloaded, exact", [], report["inexact_reasons"])
            check_notes(report, name)
        own = {"jemalloc": ("void *mallocx(size_t, int)", "mallocx(100, 0)", "void dallocx(void *, int)", "dallocx(block, 0)"),
               "mimalloc": ("void *mi_malloc(size_t)", "mi_malloc(100)", "void mi_free(void *)", "mi_free(block)")}.get(
                   library, ("void *tc_malloc(size_t)", "tc_malloc(100)", "void tc_free(void *)", "tc_free(block)"))
        text = f"#include <stdlib.h>\n{own[0]};\n{own[2]};\nint main(void) {{ void *block = malloc(50); {own[3]}; free({own[1]}); return 3; }}"
        open("own_calls.c", "w").write(text)
        for options, environment in ([path], {}), ([f"-L{LIBRARIES}", f"-l{library}"], {"LD_PRELOAD": path}):
            process = run([build(os.path.join(WORK, "own_calls.c"), "own_calls", *options)], environment=environment)
            expect(f"calls of {library}'s own", (3, ""), (process.returncode, process.err))
            reasons = report_of(process)["inexact_reasons"]
            expect("said", [True], [f"lib{library}.so" in reason and "past allocsite's" in reason for reason in reasons])
        subprocess.run([CLANG, "-shared", "-fPIC", "-w", "-Dmain=own_calls", "own_calls.c", "-o", "libown_calls.so"], check=True)
        with open("opens.c", "w") as file:
            file.write('#include <dlfcn.h>\nint main(void) { return !dlopen("./libown_calls.so", RTLD_NOW); }')
        process = run([build(os.path.join(WORK, "opens.c"), "opens", "-Wl,--no-as-needed", path)])
        reasons = report_of(process)["inexact_reasons"]
        expect("said of a library opened later", (0, [True]), (process.returncode, ["past allocsite's" in reason for reason in reasons]))


def redirected():
    """Valgrind's memcheck replaces every malloc, whatever the loader has bound."""
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    subprocess.run([CLANG, "-O1", "-w", source("plain.c"), f"-L{LIB}", "-Wl,--no-as-needed", "-lallocsite",
                    f"-Wl,-rpath,{LIB}", "-o", "uninstrumented"], check=True)
    run(["valgrind", "-q", os.path.join(WORK, "uninstrumented")], "format=json:report=memcheck.json")
    expect("exact under memcheck", False, json.load(open("memcheck.json"))["exact"])
    program = build("operators.cpp", "operators", "-O1", "-gdwarf-4")
    process = run(["valgrind", "--error-exitcode=1", program], "format=json:report=operators.json")
    expect("operators under memcheck", (3, "2000\n"), (process.returncode, process.out))
    totals = load("operators.json")["totals"]
    expect("what the program itself allocates", (15, 15, 0), (totals["allocs"], totals["frees"], totals["live_blocks"]))


def children():
    """Children that end without a report, through exec, a signal or _exit, and the programs that they start."""
    program = build("children.c", "children", *observer())
    process = run([program, build("plain.c", "plain")])
    report = report_of(process)
    check_behaviour(process, out="done\n" * 4)
    check_notes(report, "children.c")
    check_observed(process, report)
    started = [report for report in all_reports() if report["program"].endswith("/plain")]
    expect("programs that were started", 3, len(started))
    for report in started:
        check_notes(report, "plain.c")
    ended = [report["totals"]["allocs"] for report in all_reports() if report["run"]["ending"] == "_exit"]
    expect("child that called _exit", [100], ended)
    expect("reports", 1 + 1 + 3, len(all_reports()))


TOTAL = re.compile(r"^total: ", re.MULTILINE)
KILLED = "handler", "own_stack", "terminate"
FORKED = "fork", "clone"


def check_exit(how, program):
    """Each process that counts separately has one complete report, and the program behaves as without allocsite."""
    status = {"at_exit": 5, "terminate": -signal.SIGTERM}.get(how, 3)
    is_flushed = how not in ("_exit", "_Exit", "race", *KILLED)
    process = run([program, how], "report=stderr")
    expect(f"{how}: status", status, process.returncode)
    if how != "race":
        expect(f"{how}: output", "lost" if is_flushed else "", process.out)
    reports = 0 if how == "no_stderr" or how in KILLED else 2 if how in FORKED else 1
    expect(f"{how}: reports on standard error", reports, len(TOTAL.findall(process.err)))
    expect(f"{how}: has sites", bool(reports), "exits.c:" in process.err)
    if how in KILLED:
        return
    process = run([program, how])
    have = {report["pid"] == process.pid: (allocated(report), report["run"]["status"]) for report in all_reports()}
    expect(f"{how}: reports", {True: (2, status), **({False: (100, 4)} if how in FORKED else {})}, have)


def allocated(report):
    return sum(site["allocs"] for site in report["sites"] if site["function"] == "allocate")


def exits():
    """Exits that bypass exit() are reported, except in children of vfork and in signal handlers, where a line suggests
    fatal=1 or a profile."""
    for options in [], ["-static"]:
        program = build("exits.c", "exits", *options)
        for how in ("_exit", "_Exit", "at_exit", "no_stderr", "closed_stderr", "fork", "clone", "fork_idle", "vfork", "spawn", "terminate",
                    "handler", "own_stack"):
            check_exit(how, program)
        for _ in range(20):
            check_exit("race", program)
        for how in "handler", "own_stack":
            said = run([program, how], "").err
            expect(f"{how}: a line", (1, True, True), (said.count("\n"), "fatal=1" in said, "profile=" in said))
            said = run([program, how], "profile=kept.profile").err
            expect(f"{how}: a line with the profile", (1, True, True), (said.count("\n"), "fatal=1" in said, f"{WORK}/kept.profile" in said))
            expect(f"{how}: silence", "", run([program, how], "report=none").err)
            run([program, how], "report=line.txt")
            expect(f"{how}: a line in the report's file", 1, open("line.txt").read().count("fatal=1"))
            os.remove("line.txt")
        for how, status in ("handler", 3), ("own_stack", 3), ("terminate", -signal.SIGTERM):
            process = run([program, how], "fatal=1")
            expect(f"{how}: fatal=1", (status, 1), (process.returncode, len(TOTAL.findall(process.err))))


def sanitized_programs():
    """Programs behave as with the sanitizer alone."""
    for name, sanitizer in (("threads.cpp", "address"), ("streams.cpp", "address"), ("streams.cpp", "thread"),
                            ("streams.cpp", "undefined")):
        outcomes = []
        for plain in True, False:
            program = build(name, "sanitized", f"-fsanitize={sanitizer}", plain=plain)
            process = run([program], "report=none", environment={"ASAN_OPTIONS": "detect_leaks=0"})
            outcomes.append((process.returncode, process.out, process.err))
        expect(f"{name} {sanitizer}", *outcomes)


def sanitizers():
    for sanitizer, title in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer")):
        process = run([build("plain.c", sanitizer, f"-fsanitize={sanitizer}")], environment={"ASAN_OPTIONS": "detect_leaks=0"})
        report = report_of(process)
        expect(f"{title}: behaviour", (3, "done\n"), (process.returncode, process.out))
        expect(f"{title}: exact", False, report["exact"])
        expect(f"{title}: is named", True, title in "".join(report["inexact_reasons"]))
        check_direct(title, report)


def sanitized_frees():
    """The sanitizer reports frees that pass no site. If it ends the process because of a leak, the report is still
    written."""
    beside = "-Wl,--no-as-needed", f"{LIB}/liballocsite.so", f"-Wl,-rpath,{LIB}"
    for sanitizer, status in ("address", 1), ("leak", 23):
        process = run([build("unseen.c", f"unseen_{sanitizer}", f"-fsanitize={sanitizer}")])
        report = report_of(process)
        counts = [[site[counter] for counter in ("allocs", "frees", "live_blocks")] for site in sorted(report["sites"], key=lambda site: site["line"])]
        expect(f"{sanitizer}: allocated, freed, live", [[1000, 1000, 0], [100, 0, 100]], counts)
        expect(f"{sanitizer}: leaks end it", (status, True), (process.returncode, "detected memory leaks" in process.err))
        process = run([build("unseen.c", f"unsited_{sanitizer}", f"-fsanitize={sanitizer}", *beside, plain=True)])
        expect(f"{sanitizer}, unsited: leaks end it", (status, True), (process.returncode, "detected memory leaks" in process.err))
        expect(f"{sanitizer}, unsited: exact", False, report_of(process)["exact"])


def destinations():
    """Destinations of reports; the program does not notice if they cannot be written."""
    program = build("plain.c", "plain", "-fallocsite-contexts=0")
    expect("report=stdout", True, run([program], "report=stdout").out.count("main") > 3)
    expect("report=none", "", run([program], "report=none").err)
    for place, says in (("/nowhere/at/all", "No such file"), ("/proc/report", ""), ("/", "directory"), ("/dev/full", "No space"),
                        ("%x", "%p, %e"), ("link", "symbolic")):
        if not os.path.lexists("link"):
            os.symlink("victim", "link")
        process = run([program], f"report={place}")
        line, _, report = process.err.partition("\n")
        expect(f"report={place}: a line, and the report here", (3, "done\n", True, True),
               (process.returncode, process.out, says in line, "total:" in report))
    expect("followed a symbolic link", False, os.path.exists("victim"))
    if os.getuid() == 0:
        with open("foreign", "w") as foreign:
            foreign.write("theirs")
        os.chown("foreign", 1, 1)
        process = run([program], "report=foreign")
        expect("another user's file", (3, True, "theirs"), (process.returncode, "total:" in process.err, open("foreign").read()))
        os.remove("foreign")
    run([program], "report=%e-%h-%%.txt")
    name = f"plain-{os.uname().nodename}-%.txt"
    expect("patterns", True, os.path.exists(name))
    expect("mode of the report", 0o600, stat.S_IMODE(os.stat(name).st_mode))
    closed = run(["sh", "-c", f"exec {program} 2>&-"], "report=stderr")
    expect("closed stderr", (3, "done\n"), (closed.returncode, closed.out))
    with open("/dev/full", "w") as full:
        expect("full stderr", 3, run([program], stderr=full).returncode)


def options():
    program = build("plain.c", "plain", "-fallocsite-contexts=0")
    for text, lines in (("enabled=2", 1), ("nonsense", 1), ("bananas=1:top=x:top=3", 2), ("top=3::", 0), ("sort=live", 0), ("sort=size", 1),
                        ("stack=65:leaks=2", 2), ("profile=none:stack=0:leaks=0", 0), ("format=text:min_bytes=", 1)):
        process = run([program], text)
        ignored = [line for line in process.err.splitlines() if line.startswith("allocsite: option ignored")]
        expect(text, (3, "done\n", lines, True), (process.returncode, process.out, len(ignored), "total:" in process.err))
    check_behaviour(run([program], "enabled=0"))
    trace = run(["strace", "-f", "-e", "trace=mmap,madvise", program], "enabled=0").err if shutil.which("strace") else ""
    expect("mappings with enabled=0", 0, trace.count("MADV_WIPEONFORK") + trace.count("0x12 /* MADV"))


def set_user_id():
    if os.getuid() != 0:
        sys.exit(SKIPPED)
    program = build("plain.c", "privileged", f"-L{LIB}")
    os.chmod(program, 0o4755)
    os.chown(program, 1, 1)
    os.chmod(program, 0o4755)
    os.chmod(WORK, 0o755)
    probe = run([program], "report=stolen.txt", preexec_fn=lambda: os.setuid(65534), cwd="/tmp")
    if probe.returncode == 126 or "cannot" in probe.err:
        sys.exit(SKIPPED)
    expect("report of a set-user-id program", (3, False), (probe.returncode, os.path.exists("/tmp/stolen.txt")))


def locked():
    """A program that locks all its memory: the runtime's tables are not populated."""
    for options in ([], ["-static"]):
        process = run([build("locked.c", "locked", *options)])
        if process.returncode == 77:
            sys.exit(SKIPPED)
        check_behaviour(process)
        check_notes(report_of(process), "locked.c")


def unnumbered():
    """A sandbox that refuses getpid. The runtime starts no reader there, because the sandbox might kill it."""
    program = build("unnumbered.c", "unnumbered")
    fallback = run([program], "report=stderr")
    expect("fallback", (3, "done\n", True), (fallback.returncode, fallback.out, "the program is in a sandbox of its own" in fallback.err))
    for arguments in [], ["again"]:
        process, report = run_sandboxed([program, *arguments])
        check_behaviour(process)
        expect("number", (process.pid, False), (report["pid"], report.get("forked", False)))
        check_notes(report, "unnumbered.c")


def memory():
    """If the runtime gets no memory it says so, and the program continues."""
    program = build("plain.c", "plain", "-fallocsite-contexts=0")
    for limit in range(4, 64, 4):
        process = run([program], "report=none",
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20)))
        if process.returncode not in (3, 9, 127):  # 9: glibc's malloc changed errno when brk failed
            wrong.append(f"with {limit} MiB of address space: {process.returncode} {process.err}")


def deserted():
    """Processes whose first thread has ended, about which /proc has little information."""
    for name, *options in ("deserted",), ("deserted_static", "-static"):
        process = run([build("deserted.c", name, *options)], "format=json:report=%e.%p.json:reach=1")
        check_behaviour(process, "done\ndone\n")
        reports = all_reports()
        expect("reports", 2, len(reports))
        for report in reports:
            expect("told", ([], True, process.args[0]), (report["inexact_reasons"], "leaked_unknown" not in report, report["run"]["command"]))
            stacks = [[frame["function"] for frame in stack["frames"]] for stack in report["stacks"]]
            expect("stack of the coroutine", ["coroutine"], [stack[1] for stack in stacks if stack[0] == "allocate"])
            expect("without stack", 0, report["walks"]["without_stack"])
        expect("inherited", [0, 1], sorted(min(1, report["totals"]["inherited_blocks"]) for report in reports))


def check_details(report):
    """With sizes=1 and lifetime=1, the details equal the counters."""
    for site in report["sites"]:
        expect("sizes", site["allocs"] + site["reallocs"], sum(count for _, count in site.get("sizes", [])))
        ended = sum(count for _, count in site["lifetimes"]["by_time"]) if "lifetimes" in site else 0
        expect("lifetimes", site["frees"] + site["moved"], ended)


# Known gaps of the counts in a profile (profile.h), and the bit of one.
GAPS_AT, TORN = 64, 1 << 17


def stepped():
    """Children of a fork in a signal handler, which continue in the middle of an event. Their profiles are read as one report: law 1
    holds for the sum, and for each of them, which allocsite-dump checks."""
    details = ":pairs=1:sizes=1:lifetime=1"
    for name, stride, more, *options in ("stepped", "1", ""), ("stepped", "7", details), ("stepped_static", "3", "", "-static"):
        for old in glob.glob("*.profile"):
            os.remove(old)
        process = run([build("stepped.c", name, *options), stride], "report=none:profile=%p.profile" + more)
        check_behaviour(process)
        gaps = {path: open(path, "rb").read(GAPS_AT + 8)[GAPS_AT:] for path in glob.glob("*.profile")}
        whole = [path for path, bits in gaps.items() if not any(bits)]
        expect("all have profiles", True, len(gaps) > 50)
        expect("the parent's is exact", True, f"{process.pid}.profile" in whole)
        expect("others have an event that was counted in part", {0, TORN}, {int.from_bytes(bits, "little") for bits in gaps.values()})
        report = dumped("report", "--format=json", *whole)
        expect("exact", [], report["inexact_reasons"])
        expect("processes", len(whole), report["processes"])
        check_laws(report)
        if more:
            check_details(report)


def interrupted():
    """A signal handler that allocates during the first count of its thread takes no second set of counters."""
    for name, *options in ("interrupted", "-O0"), ("interrupted_static", "-O0", "-static"):
        for path in glob.glob("*.profile"):
            os.remove(path)
        check_behaviour(run([build("interrupted.c", name, *options)], "report=none:profile=%p.profile"))
        children = glob.glob("*.profile")
        report = dumped("report", "--format=json", *children)
        expect("told", (True, []), (report["exact"], report["inexact_reasons"]))
        sums = [site["allocs"] for site in report["sites"] if site["sited"]]
        # One profile is the parent's, and one child was forked after the end of the event.
        expect("allocations", [1, len(children) - 2, len(children) - 1], sorted(sums))


def loading():
    """A child whose parent had another thread in the dynamic loader does not wait for it."""
    program = build("loading.cpp", "loading", "-O1", "-std=c++17")
    slow = build("loading.cpp", "libslow.so", "-shared", "-fPIC", "-DSLOW_LIBRARY", plain=True)
    for arguments in [], [slow]:
        process = run(["timeout", "-s", "KILL", "60", program, *arguments])
        check_behaviour(process)
        reports = all_reports()
        expect("told", [[]] * 13, [report["inexact_reasons"] for report in reports])
        expect("allocations", [1] + [5] * 12, sorted(sum(site["allocs"] for site in report["sites"] if site["sited"]) for report in reports))


def limited():
    """Under any resource limit, most of the rest is left to the program."""
    program = build("limited.c", "limited", "-O0", "-fallocsite-contexts=0")
    for kind in resource.RLIMIT_AS, resource.RLIMIT_DATA:
        for limit, count, size in (30 << 20, 180, 100000), (100 << 20, 600, 100000), (400 << 20, 2400, 100000), \
                (20 << 30, 16, 1 << 30), (60 << 30, 55, 1 << 30):
            process = run([program, str(count), str(size)], "report=none",
                          preexec_fn=lambda: resource.setrlimit(kind, (limit, limit)))
            expect(f"blocks, limit {kind} of {limit >> 20} MiB", (3, count, ""), (process.returncode, int(process.out), process.err))


def limiting():
    """A program that limits its own memory gets as much of it as without allocsite."""
    plain = build("limiting.c", "plain_limiting", "-O0", plain=True)
    for name, *options in ("limiting",), ("limiting_static", "-static"):
        program = build("limiting.c", name, "-O0", *options)
        for kind in resource.RLIMIT_AS, resource.RLIMIT_DATA:
            for limit, count, size in (30 << 20, 180, 100000), (400 << 20, 2400, 100000), (20 << 30, 16, 1 << 30):
                arguments = [str(number) for number in (kind, limit, count, size)]
                want = run([plain, *arguments])
                process = run([program, *arguments], "report=none")
                expect(f"{name} {arguments}", (want.returncode, want.out, ""), (process.returncode, process.out, process.err))
                if f"{count} blocks, 0 more" not in want.out:
                    wrong.append(f"without allocsite: {want.out}")


main([threads, jumps, plain, forks, unwiped, children, signals, opened, replaced, preloaded, stubs, resolved, other_copies, other_allocators, redirected,
      exits, sanitized_programs, sanitizers, sanitized_frees, destinations, options, set_user_id, locked, unnumbered, memory, deserted, stepped, interrupted, loading, limited, limiting])
