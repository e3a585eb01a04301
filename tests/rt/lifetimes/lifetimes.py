# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lifetimes of blocks (lifetime=1), compared with books that the programs keep themselves."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *

INCLUDE = os.path.join(HERE, "../../../rt/lib")
OPTIONS = "format=json:report=%e.%p.json:lifetime=1"


def told(process, pid, kind):
    rows = [line.split() for line in process.out.splitlines()]
    return [list(map(int, row[2:])) for row in rows if row[:2] == [kind, str(pid)]]


def compare(what, process, report):
    """Counts equal the program's, times are within its bounds, and both histograms include all freed blocks."""
    have = {site["line"]: site for site in report["sites"] if site["sited"]}
    books = {line: book for line, *book in told(process, report["pid"], "life")}
    expect(f"{what}: books", True, bool(books))
    for line, (blocks, numbers, least, most) in books.items():
        lifetimes = have[line]["lifetimes"]
        classes = [row[1:] for row in told(process, report["pid"], "class") if row[0] == line]
        expect(f"{what}: line {line}", (numbers, classes), (lifetimes["allocations"], lifetimes["by_allocations"]))
        expect(f"{what}: line {line} in time", True, least <= lifetimes["nanoseconds"] <= most)
        expect(f"{what}: line {line}, blocks by time", blocks, sum(count for _, count in lifetimes["by_time"]))
    for site in report["sites"]:
        check_bounds(f"{what}: {site['function']}:{site['line']}", site)


def check_bounds(what, site):
    lifetimes = site["lifetimes"]
    expect(f"{what}: blocks that went", site["frees"] + site["moved"], sum(count for _, count in lifetimes["by_time"]))
    for name, by in ("allocations", "by_allocations"), ("nanoseconds", "by_time"):
        least = sum(start * count for start, count in lifetimes[by])
        most = sum(max(2 * start - 1, 0) * count for start, count in lifetimes[by])
        expect(f"{what}: {name} within {least} and {most}", True, least <= lifetimes[name] <= most)


def lives(program, *arguments, options=""):
    process = run([program, *map(str, arguments)], OPTIONS + options)
    expect("status", (0, ""), (process.returncode, process.err))
    return process


def one_thread():
    """With any other counts enabled; without lifetime=1 there are no lifetimes."""
    for linking in [], ["-static"]:
        program = build("lives.c", "lives", "-fallocsite-contexts=0", *linking)
        for seed, events in (1, 10), (2, 3000), (3, 60000):
            process = lives(program, seed, 1, events)
            compare(f"seed {seed} {linking}", process, report_of(process))
        for options in ":pairs=1", ":sizes=1", ":temporary=1", ":pairs=1:sizes=1", ":stack=8":
            process = lives(program, 4, 1, 5000, options=options)
            compare(f"{linking}{options}", process, report_of(process))
        report = report_of(run([program, "1", "1", "100"]))
        expect("not asked for", False, any("lifetimes" in site for site in report["sites"]))


def allocators():
    """Allocators whose blocks are closer, or at odd multiples of 8."""
    for library in allocator_libraries():
        name = os.path.basename(library)
        program = build("lives.c", "lives_" + name, "-fallocsite-contexts=0", "-Wl,--no-as-needed", library)
        process = lives(program, 5, 1, 20000)
        compare(name, process, report_of(process))


def threads():
    """The threads take turns, so the program knows the order."""
    program = build("lives.c", "lives", "-fallocsite-contexts=0")
    for count in 2, 5:
        process = lives(program, 6, count, 5000)
        compare(f"{count} threads", process, report_of(process))


def forks():
    """A child continues with its parent's blocks and numbers; its counts begin with the fork."""
    program = build("lives.c", "lives", "-fallocsite-contexts=0")
    for options in "", ":profile=%e.%p.profile":
        process = lives(program, 7, 1, 3000, "fork", options=options)
        reports = all_reports()
        expect("reports", 2, len(reports))
        for report in reports:
            compare(f"pid {report['pid']}{options}", process, report)


def dump(*arguments):
    return json.loads(subprocess.run([f"{BIN}/allocsite-dump", "report", "--format=json", *arguments], check=True,
                                     stdout=subprocess.PIPE).stdout)


def profiled():
    """A profile has all lifetimes, also after SIGKILL; merged profiles have the sum."""
    program = build("lives.c", "lives", "-fallocsite-contexts=0")
    process = run([program, "8", "1", "3000", "kill"], "lifetime=1:report=none:profile=killed.profile")
    expect("status", -9, process.returncode)
    compare("killed", process, dump("killed.profile"))
    process = run([program, "8", "1", "3000"], "lifetime=1:sizes=1:stack=4:report=none:profile=stacks.profile")
    report = dump("stacks.profile")
    compare("with stacks", process, report)
    for site in report["sites"]:
        expect(f"with stacks: sizes of line {site['line']}", site["allocs"] + site["reallocs"], sum(count for _, count in site["sizes"]))
    for name in "one", "two":
        process = run([program, "9", "1", "3000"], f"lifetime=1:report=none:profile={name}.profile")
        compare(name, process, dump(f"{name}.profile"))
    both = {site["id"]: site["lifetimes"] for site in dump("one.profile", "two.profile")["sites"]}
    subprocess.run([f"{BIN}/allocsite-dump", "merge", "-o", "both.profile", "one.profile", "two.profile"], check=True)
    expect("merged", both, {site["id"]: site["lifetimes"] for site in dump("both.profile")["sites"]})
    for site in dump("one.profile")["sites"]:
        expect("the same numbers twice", 2 * site["lifetimes"]["allocations"], both[site["id"]]["allocations"])
    run([program, "9", "1", "300"], "report=none:profile=without.profile")
    expect("not all have it", False, any("lifetimes" in site for site in dump("one.profile", "without.profile")["sites"]))


def reset():
    """After a reset only later frees count, with the lifetimes of older blocks intact; also in a snapshot."""
    program = build("reset.c", "reset", f"-I{INCLUDE}")
    report = report_of(run([program], OPTIONS))
    want = {line: int(text.split("// = ")[1]) for line, text in enumerate(open(source("reset.c")), 1) if "// = " in text}
    for what, of in ("report", report), ("profile of the moment", dump("reset.copy")):
        have = {site["line"]: site["lifetimes"] for site in of["sites"] if site["sited"]}
        for line, allocations in want.items():
            expect(f"{what}: line {line}", (allocations, 1),
                   (have[line]["allocations"], sum(count for _, count in have[line]["by_time"])))


def custom():
    """Custom allocators' blocks have lifetimes like others, except for blocks that they reallocate."""
    program = build("pool.c", "pool", f"-I{INCLUDE}")
    process = run([program], OPTIONS)
    report = json.load(open(f"pool.{process.pid}.json"))
    have = {site["line"]: site["lifetimes"] for site in report["sites"] if site["sited"] and not site.get("chunk")}
    want = {line: [int(word) for word in text.split("// = ")[1].split()]
            for line, text in enumerate(open(source("pool.c")), 1) if "// = " in text}
    for line, (blocks, allocations) in want.items():
        expect(f"line {line}", (blocks, allocations),
               (sum(count for _, count in have[line]["by_time"]), have[line]["allocations"]))


def no_clock():
    """If no clock works, times are 0 and not uninitialized memory."""
    report = report_of(run([build("no_clock.c", "no_clock")], OPTIONS))
    lived = [site["lifetimes"] for site in report["sites"] if site["frees"]]
    expect("lived", [(0, [[0, 10]])], [(life["nanoseconds"], life["by_time"]) for life in lived])


if __name__ == "__main__":
    main([one_thread, allocators, threads, forks, profiled, reset, custom, no_clock])
