# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes in all conditions: what is counted is what the source's notes say and what the observer saw, and the
program does what it does without allocsite. process.py CASE BIN LIB MAJOR CLANG CLANGXX WORK"""
import collections
import glob
import json
import os
import re
import resource
import shutil
import stat
import subprocess
import sys

NOTE = re.compile(r"@ (\d+) (\d+) (\d+) (\d+) (\d+)")
COUNTERS = "allocs", "alloc_bytes", "reallocs", "realloc_bytes", "failed"
HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
SKIPPED = 77

case, BIN, LIB, MAJOR, CLANG, CLANGXX, WORK = sys.argv[1:]
wrong = []


def expect(what, want, got):
    if want != got:
        wrong.append(f"{what}: expected {want!r}, got {got!r}")


def source(name):
    return os.path.join(HERE, name)


def build(name, out, *options, plain=False):
    cxx = name.endswith("pp")
    driver = (CLANGXX if cxx else CLANG) if plain else f"{BIN}/allocsite-clang{'++' if cxx else ''}-{MAJOR}"
    subprocess.run([driver, "-O1", "-g", "-w", "-pthread", *(["-std=c++17"] if cxx else []), source(name), *options,
                    "-o", out], check=True)
    return os.path.join(WORK, out)


def observer():
    subprocess.run([CLANG, "-O2", "-Wall", "-fPIC", "-shared", "-fno-builtin", source("observer.c"), "-o",
                    "libobserver.so", "-pthread"], check=True)
    return ["-Wl,--no-as-needed", os.path.join(WORK, "libobserver.so"), f"-Wl,-rpath,{WORK}"]


def run(command, options="format=json:report=%e.%p.json", **more):
    for old in glob.glob("*.json") + glob.glob("seen.*"):
        os.remove(old)
    environment = dict(os.environ, ALLOCSITE_OPTIONS=options, OBSERVER=os.path.join(WORK, "seen"))
    environment.update(more.pop("environment", {}))
    process = subprocess.Popen(command, env=environment, stdout=more.pop("stdout", subprocess.PIPE),
                               stderr=more.pop("stderr", subprocess.PIPE), text=True, **more)
    process.out, process.err = process.communicate(timeout=300)
    return process


def report_of(process):
    name = os.path.basename(process.args[0])
    return json.load(open(f"{name}.{process.pid}.json"))


def all_reports():
    return [json.load(open(path)) for path in glob.glob("*.json")]


def sites(report, name):
    counted = collections.defaultdict(list)
    for site in report["sites"]:
        if site["sited"] and os.path.basename(site["file"]) == name:
            counted[site["line"]].append(tuple(site[counter] for counter in COUNTERS))
    return {line: [tuple(map(sum, zip(*counts)))] for line, counts in counted.items()}


def notes(name):
    noted = {}
    for number, line in enumerate(open(source(name)), 1):
        for note in NOTE.findall(line):
            noted[number] = [tuple(map(int, note))]
    return noted


def check_notes(report, name):
    want, have = notes(name), sites(report, name)
    text = open(source(name)).read().splitlines()
    for line in sorted(set(want) | {line for line in have if "@ any" not in text[line - 1]}):
        expect(f"{name}:{line}", want.get(line), have.get(line))


def check_direct(what, report):
    """Where another malloc stands before allocsite: the calls of plain.c that pass a site to the allocator itself."""
    have = sites(report, "plain.c")
    for line, counts in notes("plain.c").items():
        if "strdup" not in open(source("plain.c")).read().splitlines()[line - 1]:
            expect(f"{what}, plain.c:{line}", counts, have.get(line))


def check_sums(report):
    for counter in COUNTERS:
        expect(f"sum of {counter}", report["totals"][counter], sum(site[counter] for site in report["sites"]))


def check_observed(process, report):
    seen = tuple(map(int, open(f"seen.{process.pid}").read().split()))
    expect("what the observer saw", seen[:4], tuple(report["totals"][counter] for counter in COUNTERS[:4]))


def check_behaviour(process, out="done\n", status=3, err=""):
    expect("status", status, process.returncode)
    expect("output", out, process.out)
    expect("errors", err, process.err)


def exact(name, *options, **more):
    """Builds with the observer behind allocsite, runs, and checks everything there is."""
    program = build(name, name.split(".")[0], *options, *observer(), **more)
    process = run([program])
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    check_notes(report, name)
    check_sums(report)
    check_observed(process, report)
    return report


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


def signals():
    process = run([build("signals.c", "signals", *observer())])
    report = report_of(process)
    check_behaviour(process, out=process.out)
    calls = sum(site["allocs"] for site in report["sites"] if site["sited"])
    expect("allocations that the program made", int(process.out or 0), calls)
    check_sums(report)
    check_observed(process, report)


def opened():
    library = build("opened.c", "libopened.so", "-shared", "-fPIC")
    for driver, plain_opener in (("instrumented", False), ("uninstrumented", True)):
        program = build("opener.c", "opener", "-ldl", *observer(), plain=plain_opener)
        # An uninstrumented program's malloc comes before a library that is opened: it is preloaded.
        environment = {"LD_PRELOAD": f"{LIB}/liballocsite.so"} if plain_opener else {}
        process = run([program, library], environment=environment)
        report = report_of(process)
        check_behaviour(process, err=process.err)
        check_notes(report, "opened.c")
        check_sums(report)
        check_observed(process, report)
        modules = [site["module"] for site in report["sites"] if site["module"] == library]
        expect(f"sites of the library in an {driver} program", 4, len(modules))
    # The observer never gives memory back: that nothing grows shows without it.
    check_behaviour(run([build("opener.c", "opener", "-ldl"), library]))


def replaced():
    process = run([build("replaced.cpp", "replaced", *observer())])
    report = report_of(process)
    check_behaviour(process, out="3\n")
    check_notes({"sites": [site for site in report["sites"] if site["callee"] != "malloc"]}, "replaced.cpp")
    check_sums(report)
    check_observed(process, report)


def preloaded():
    """An uninstrumented program, counted by module."""
    subprocess.run([CLANG, "-O1", source("plain.c"), "-o", "uninstrumented"], check=True)
    observer()
    process = run([os.path.join(WORK, "uninstrumented")],
                  environment={"LD_PRELOAD": f"{LIB}/liballocsite.so {WORK}/libobserver.so"})
    report = report_of(process)
    check_behaviour(process)
    check_sums(report)
    check_observed(process, report)
    modules = {os.path.basename(site["module"]): site["allocs"] for site in report["sites"]}
    expect("allocations of the program", 102, modules["uninstrumented"])


def other_allocators():
    for library in ("jemalloc", "tcmalloc", "tcmalloc_minimal", "mimalloc"):
        path = f"{LIBRARIES}/lib{library}.so"
        if not os.path.exists(path):
            continue
        for name in ("plain.c", "threads.cpp", "replaced.cpp"):
            linked = run([build(name, "linked", path)])
            report = report_of(linked)
            expect(f"{library} {name} status", 3, linked.returncode)
            expect(f"{library} {name} exact", [], report["inexact_reasons"])
            if name != "replaced.cpp":
                check_notes(report, name)
            check_sums(report)
        preloaded = run([build("plain.c", "preloaded")], environment={"LD_PRELOAD": path})
        report = report_of(preloaded)
        expect(f"{library} preloaded, status", (3, "done\n"), (preloaded.returncode, preloaded.out))
        expect(f"{library} preloaded, exact", False, report["exact"])
        check_direct(f"{library} preloaded", report)


def sanitizers():
    for sanitizer, title in (("address", "AddressSanitizer"), ("thread", "ThreadSanitizer")):
        process = run([build("plain.c", sanitizer, f"-fsanitize={sanitizer}")], environment={"ASAN_OPTIONS": "detect_leaks=0"})
        report = report_of(process)
        expect(f"{title}: behaviour", (3, "done\n"), (process.returncode, process.out))
        expect(f"{title}: exact", False, report["exact"])
        expect(f"{title}: is named", True, title in "".join(report["inexact_reasons"]))
        check_direct(title, report)


def destinations():
    """Where reports go, and that a program does not notice when they cannot."""
    program = build("plain.c", "plain")
    expect("report=stdout", True, run([program], "report=stdout").out.count("main") > 3)
    expect("report=none", "", run([program], "report=none").err)
    for place, says in (("/nowhere/at/all", "No such file"), ("/proc/report", ""), ("/", "directory"), ("/dev/full", "No space"),
                        ("%x", "%p, %e"), ("link", "symbolic")):
        if not os.path.lexists("link"):
            os.symlink("victim", "link")
        process = run([program], f"report={place}")
        expect(f"report={place}", (3, "done\n", 1, True),
               (process.returncode, process.out, process.err.count("\n"), says in process.err))
    expect("followed a symbolic link", False, os.path.exists("victim"))
    run([program], "report=%e-%h-%%.txt")
    name = f"plain-{os.uname().nodename}-%.txt"
    expect("patterns", True, os.path.exists(name))
    expect("mode of the report", 0o600, stat.S_IMODE(os.stat(name).st_mode))
    closed = run(["sh", "-c", f"exec {program} 2>&-"], "report=stderr")
    expect("closed stderr", (3, "done\n"), (closed.returncode, closed.out))
    with open("/dev/full", "w") as full:
        expect("full stderr", 3, run([program], stderr=full).returncode)


def options():
    program = build("plain.c", "plain")
    for text, lines in (("enabled=2", 1), ("nonsense", 1), ("bananas=1:top=x:top=3", 2), ("top=3::", 0), ("sort=live", 1),
                        ("profile=x:stack=4:leaks=1", 3), ("profile=none:stack=0:leaks=0", 0), ("format=text:min_bytes=", 1)):
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


def memory():
    """Where there is no memory for the runtime it says so, and the program goes on."""
    program = build("plain.c", "plain")
    for limit in range(4, 64, 4):
        process = run([program], "report=none",
                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit << 20, limit << 20)))
        if process.returncode not in (3, 127):
            wrong.append(f"with {limit} MiB of address space: {process.returncode} {process.err}")


CASES = dict(threads=threads, jumps=jumps, plain=plain, forks=forks, signals=signals, opened=opened, replaced=replaced,
             preloaded=preloaded, other_allocators=other_allocators, sanitizers=sanitizers, destinations=destinations,
             options=options, set_user_id=set_user_id, memory=memory)

WORK = os.path.join(WORK, case)
os.makedirs(WORK, exist_ok=True)
os.chdir(WORK)
CASES[case]()
for line in wrong:
    print("WRONG:", line)
sys.exit(bool(wrong))
