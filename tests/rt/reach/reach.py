# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Leaked blocks: per line as noted in the source, and in total as LeakSanitizer and valgrind find in the same program
without allocsite."""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

INCLUDE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(HERE))), "rt", "lib")
REACH = "format=json:report=%e.%p.json:reach=1"


def noted(*names, what="lost"):
    mark = re.compile(rf"@ {what} (\d+) (\d+)")
    return {f"{name}:{number}": tuple(map(int, mark.search(line).groups()))
            for name in names for number, line in enumerate(open(source(name)), 1) if mark.search(line)}


def leaked(counters, what="leaked"):
    return counters[f"{what}_blocks"], counters[f"{what}_bytes"]


def leaked_by_line(report, what="leaked"):
    """By the innermost call in the test's source: an allocator's, or a library's."""
    lines = collections.Counter(), collections.Counter()
    for stack in report["stacks"]:
        places = [f"{os.path.basename(frame['file'])}:{frame['line']}" for frame in stack["frames"]
                  if (frame["file"] or "").endswith((".c", ".cpp"))]
        place = places[0] if places else "unsited"
        for line, number in zip(lines, leaked(stack, what)):
            line[place] += number
    return {place: (blocks, lines[1][place]) for place, blocks in lines[0].items() if blocks}


def total(lines):
    return tuple(map(sum, zip(*lines)))


def check_report(process, *names, counts_size=True):
    """counts_size: the library does not round sizes up before it asks for memory."""
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    known = 2 if counts_size else 1
    expect("lost by line", *({line: lost[:known] for line, lost in lines.items()} for lines in (noted(*names), leaked_by_line(report))))
    expect("lost in total", total(noted(*names).values())[:known], leaked(report["totals"])[:known])
    expect("possibly lost by line", noted(*names, what="possibly"), leaked_by_line(report, "possibly_leaked"))
    for site in report["sites"]:
        expect("lost blocks are live", True, site["leaked_blocks"] <= site["live_blocks"])
    return report


def lost_to_leak_sanitizer(name, *arguments, library=None):
    if library:
        build(library, "liblsan.so", "-fPIC", "-shared", plain=True)
    program = build(name, "lsan", "-fsanitize=leak", plain=True)
    process = run([program, *arguments, *([os.path.join(WORK, "liblsan.so")] if library else [])])
    summary = re.search(r"SUMMARY: LeakSanitizer: (\d+) byte\(s\) leaked in (\d+) allocation", process.err)
    return (int(summary[2]), int(summary[1])) if summary else process.err


def lost_to_valgrind(name, *arguments, library=None):
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    if library:
        build(library, "libvalgrind.so", "-fPIC", "-shared", "-gdwarf-4", plain=True)
    program = build(name, "memcheck", "-gdwarf-4", plain=True)
    # The heap is above 4 GiB, because a number in the C library could otherwise look like a pointer to one of 100,000
    # blocks.
    process = run(["valgrind", "--leak-check=full", "--fair-sched=try", "--aspace-minaddr=0x1fffff000", program,
                   *arguments, *([os.path.join(WORK, "libvalgrind.so")] if library else [])])
    found = re.findall(r"(?:definitely|indirectly) lost: ([\d,]+) bytes in ([\d,]+) blocks", process.err)
    return total((int(blocks.replace(",", "")), int(size.replace(",", ""))) for size, blocks in found) if found else process.err


def check_others(*names, valgrind_more=(0, 0)):
    """valgrind's "possibly lost" blocks have an interior pointer, which counts as reachable for LeakSanitizer and
    allocsite."""
    name, library = (*names, None)[:2]
    expect("LeakSanitizer", total(noted(*names).values()), lost_to_leak_sanitizer(name, library=library))
    expect("valgrind", total([*noted(*names).values(), valgrind_more]), lost_to_valgrind(name, library=library))


def check(name, **more):
    check_report(run([build(name, name.split(".")[0])], REACH), name)
    check_others(name, **more)


def single():
    check("lost.c")


def objects():
    """A pointer to an empty array points behind its block, which valgrind does not recognize."""
    check("lost.cpp", valgrind_more=(1, 8))


def threads():
    check("threads.c")


def opened():
    library = build("opened.c", "libopened.so", "-fPIC", "-shared")
    check_report(run([build("opener.c", "opener"), library], REACH), "opener.c", "opened.c")
    check_others("opener.c", "opened.c")


def static():
    """A static program without PIE has its heap at low addresses, where numbers in the C library's data look like
    pointers to one of the 100,000 blocks of lost.c in 2 of 100 runs."""
    for name, how in ("lost.c", "-static-pie"), ("lost.cpp", "-static"), ("threads.c", "-static"):
        check_report(run([build(name, "static", how)], REACH), name, counts_size=name != "lost.cpp")


def other_allocators():
    """The allocators' data has no pointers to blocks, and blocks may start at odd multiples of 8."""
    for library in "jemalloc", "mimalloc":
        check_report(run([build("lost.c", library, f"-l{library}")], REACH), "lost.c")


ENDS = "main", "exit", "deep", "register", "quick", "_exit", "thread", "pthread", "signal"
# Blocks that active frames, registers and main's thread keep reachable; the C library has more.
KEPT = {"deep": 42, "thread": 22, "register": 1, "quick": 1, "_exit": 1, "signal": 1}


def stale():
    """Dead stack keeps nothing reachable, and active stack everything, however the process ends."""
    for variant in ["-O0"], ["-O2"], ["-static"], ["-O2", "-fno-omit-frame-pointer"]:
        program = build("stale.c", "stale", *variant)
        for end in ENDS:
            process = run([program, end], REACH)
            check_behaviour(process, status=0 if end == "pthread" else 3)
            report = report_of(process)
            expect(f"{variant} {end}: lost", noted("stale.c"), leaked_by_line(report))
            kept = sum(site["live_blocks"] for site in report["sites"] if site["function"] in ("end_deep", "end_with_register", "handle"))
            expect(f"{variant} {end}: kept", KEPT.get(end, 0), kept)
    # LeakSanitizer and valgrind treat main's frame as dead, and valgrind only knows registers at the end of the
    # process.
    for end in "main", "exit", "deep", "thread", "signal":
        expect(f"{end}: LeakSanitizer", True, total(noted("stale.c").values())[0] - 1 <= lost_to_leak_sanitizer("stale.c", end)[0] <= 512)
        expect(f"{end}: valgrind", True, 508 <= lost_to_valgrind("stale.c", end)[0] <= 512)


def looked_at():
    """The same if the program calls the runtime, or receives its signal, and continues. The kernel and raise leave gaps
    in the signal's frame, which contain a few addresses."""
    for variant in ["-O0"], ["-O2"], ["-static"], ["-O2", "-fno-omit-frame-pointer"]:
        program = build("looked_at.c", "looked_at", f"-I{INCLUDE}", *variant)
        for arguments, options in ([], "report=none"), (["signal"], "report=none:signal=USR2:graph=looked_at.graph"):
            for path in glob.glob(os.path.join(WORK, "looked_at.graph*")):
                os.remove(path)
            check_behaviour(run([program, *arguments], options))
            at_once = glob.glob(os.path.join(WORK, "looked_at.graph.*" if arguments else "looked_at.graph"))
            expect(f"{variant} {arguments}: graphs", 1, len(at_once))
            shown = subprocess.run([f"{BIN}/allocsite-dump", "graph", "--format=json", *at_once], stdout=subprocess.PIPE, text=True)
            totals = json.loads(shown.stdout)
            blocks, size = totals["leaked_objects"], totals["leaked_bytes"]
            expect(f"{variant} {arguments}: lost {blocks} of {size} B", True, size == 24 * blocks and 512 - 12 * len(arguments) <= blocks <= 512)


def coroutines():
    """mmap'ed stacks are found through the stack pointers that the program keeps."""
    for variant in ["-O0"], ["-O2"], ["-O2", "-static"]:
        program = build("coroutines.c", "coroutines", *variant)
        check_report(run([program], REACH), "coroutines.c")
        # The kernel reports adjacent stacks as one mapping, so their dead parts may count as active. Nothing in use is
        # reported as leaked.
        process = run([program, "bare"], REACH)
        check_behaviour(process)
        expect("lines that lost blocks", set(noted("coroutines.c")), set(noted("coroutines.c")) | set(leaked_by_line(report_of(process))))


def mapped():
    """Blocks that are only reachable from mmap'ed memory are possibly lost, and the search populates no page."""
    for variant in ["-O0"], ["-O2"], ["-O2", "-static"], ["-O2", "-ljemalloc"], ["-O2", "-lmimalloc"]:
        program = build("mapped.c", "mapped", *variant)
        report = check_report(run([program], REACH), "mapped.c")
        expect("resident", True, report["run"]["max_resident_bytes"] < 100 << 20)
        expect("exact", (True, None), (report["exact"], report.get("leaked_unknown")))
        lines = run([program], "reach=1").err
        blocks = total(noted("mapped.c", what="possibly").values())
        expect(f"told: {lines}", True, f"; possibly leaked: {blocks[1]} B in {blocks[0]} blocks, to which only memory points" in lines)


def registered():
    """Registered memory keeps its blocks reachable until it is unregistered; also in a forked child."""
    for variant in ["-O0"], ["-O2"], ["-O2", "-static"]:
        program = build("registered.c", "registered", f"-I{INCLUDE}", *variant)
        process = run([program], REACH)
        check_behaviour(process)
        for report in all_reports():
            expect(f"{variant}: possibly lost by line", noted("registered.c", what="possibly"), leaked_by_line(report, "possibly_leaked"))
            expect(f"{variant}: lost by line", noted("registered.c"), leaked_by_line(report))
        expect(f"{variant}: reports", 2, len(all_reports()))


def run_by_allocsite_run():
    """In the report of all processes, without a report of each."""
    program = build("stale.c", "stale", plain=True)
    leaked_line = r"\nleaked: 12\.0 KiB in 512 blocks; "
    for arguments, options in ([], "reach=1"), (["--leaks"], ""), (["--leaks", "--stacks=4"], "top=3"):
        for end in "main", "_exit", "deep":
            process = run([f"{BIN}/allocsite-run", *arguments, program, end], options)
            check_behaviour(process, err=process.err)
            expect(f"{arguments} {options} {end}: {process.err}", True, re.search(leaked_line, process.err) is not None)
    process = run([f"{BIN}/allocsite-run", "--leaks", "sh", "-c", f"{program} exit; exec {program} main"], "")
    expect(f"two processes: {process.err}", True, re.search(r"\nleaked: \S+ \S+ in 1,0[2-9]\d blocks;", process.err) is not None)  # the shell's own blocks
    for arguments, options in ([], ""), (["--leaks"], "reach=0"):
        process = run([f"{BIN}/allocsite-run", *arguments, program], options)
        expect(f"{arguments} {options}: {process.err}", None, re.search("\nleaked: ", process.err))


def busy():
    """Blocks that threads currently use vary between reports, but not those leaked before."""
    program = build("busy.c", "busy")
    for _ in range(20):
        process = run([program], REACH)
        check_behaviour(process)
        report = json.load(open(f"busy.{process.pid}.json"))
        expect("lost", noted("busy.c"), leaked_by_line(report))


def denied():
    """If there is one thread, no thread has to be stopped. With two threads there is no result, and the program is
    unaffected. A program with its own seccomp filter starts nothing."""
    program = build("denied.c", "denied")
    process, report = run_sandboxed([program, "start one"], ":reach=1")
    check_behaviour(process)
    expect("alone", (1, 10), leaked(report["totals"]))
    for mode, reason in ("start two", "ptrace is not permitted"), ("one", "the program is in a sandbox of its own"):
        process, report = run_sandboxed([program, mode], ":reach=1")
        check_behaviour(process)
        expect(f"{mode}: reason {report.get('leaked_unknown')}", True, reason in (report.get("leaked_unknown") or ""))
        expect(f"{mode}: no numbers", [], [site for site in report["sites"] if "leaked_blocks" in site])


def simulated():
    """Valgrind ends a process that makes the system calls that the search needs."""
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    program = build("denied.c", "denied")
    process, report = run_sandboxed(["valgrind", "--tool=none", "-q", program], ":reach=1")
    expect("status and output", (3, "done\n"), (process.returncode, process.out))
    expect("reason", True, "valgrind" in report["leaked_unknown"])
    expect("program", program, report["program"])


def apart():
    for linking in [], ["-static"]:
        process = run([build("apart.c", "apart", *linking)])
        expect(f"{linking}: tables", (0, True), (process.returncode, re.match(r"0 of [12] open$", process.out) is not None))


main([single, objects, threads, opened, static, other_allocators, stale, looked_at, coroutines, mapped, registered, run_by_allocsite_run, busy, denied, simulated, apart])
