# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lost blocks: by allocsite for each line as the source notes them, and in total as LeakSanitizer and valgrind find them
in the same program built without allocsite."""
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


def lost(counters, what="lost"):
    return counters[f"{what}_blocks"], counters[f"{what}_bytes"]


def lost_by_line(report, what="lost"):
    lines = collections.Counter(), collections.Counter()
    for site in report["sites"]:
        place = f"{os.path.basename(site['file'])}:{site['line']}" if site["sited"] else "unsited"
        for line, number in zip(lines, lost(site, what)):
            line[place] += number
    return {place: (blocks, lines[1][place]) for place, blocks in lines[0].items() if blocks}


def total(lines):
    return tuple(map(sum, zip(*lines)))


def check_report(process, *names):
    report = report_of(process)
    check_behaviour(process)
    expect("exact", [], report["inexact_reasons"])
    expect("lost by line", noted(*names), lost_by_line(report))
    expect("lost in total", total(noted(*names).values()), lost(report["totals"]))
    expect("possibly lost by line", noted(*names, what="possibly"), lost_by_line(report, "possibly_lost"))
    for site in report["sites"]:
        expect("lost blocks are live", True, site["lost_blocks"] <= site["live_blocks"])
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
    # The heap lies above what 32 bits hold, or a number of the C library's may look like one of 100,000 blocks and keep it.
    process = run(["valgrind", "--leak-check=full", "--fair-sched=try", "--aspace-minaddr=0x1fffff000", program,
                   *arguments, *([os.path.join(WORK, "libvalgrind.so")] if library else [])])
    found = re.findall(r"(?:definitely|indirectly) lost: ([\d,]+) bytes in ([\d,]+) blocks", process.err)
    return total((int(blocks.replace(",", "")), int(size.replace(",", ""))) for size, blocks in found) if found else process.err


def check_others(*names, valgrind_more=(0, 0)):
    """What valgrind calls possibly lost has a pointer inside, which counts for LeakSanitizer and here."""
    name, library = (*names, None)[:2]
    expect("LeakSanitizer", total(noted(*names).values()), lost_to_leak_sanitizer(name, library=library))
    expect("valgrind", total([*noted(*names).values(), valgrind_more]), lost_to_valgrind(name, library=library))


def check(name, **more):
    check_report(run([build(name, name.split(".")[0])], REACH), name)
    check_others(name, **more)


def single():
    check("lost.c")


def objects():
    """A pointer to an empty array is one behind its block, which valgrind does not know."""
    check("lost.cpp", valgrind_more=(1, 8))


def threads():
    check("threads.c")


def opened():
    library = build("opened.c", "libopened.so", "-fPIC", "-shared")
    check_report(run([build("opener.c", "opener"), library], REACH), "opener.c", "opened.c")
    check_others("opener.c", "opened.c")


def static():
    """At a fixed address the heap lies low, where numbers in the C library's data look like pointers to one of the 100,000 blocks
    of lost.c in 2 of 100 runs."""
    for name, how in ("lost.c", "-static-pie"), ("lost.cpp", "-static"), ("threads.c", "-static"):
        check_report(run([build(name, "static", how)], REACH), name)


def other_allocators():
    """Their own data holds no pointers to blocks, and theirs may start at odd multiples of 8."""
    for library in "jemalloc", "mimalloc":
        check_report(run([build("lost.c", library, f"-l{library}")], REACH), "lost.c")


ENDS = "main", "exit", "deep", "register", "quick", "_exit", "thread", "pthread", "signal"
# Blocks that frames at work, registers and main's thread keep; the C library has more.
KEPT = {"deep": 42, "thread": 22, "register": 1, "quick": 1, "_exit": 1, "signal": 1}


def stale():
    """Dead stack keeps nothing, and what is at work all that it has, however the process ends."""
    for variant in ["-O0"], ["-O2"], ["-static"], ["-O2", "-fno-omit-frame-pointer"]:
        program = build("stale.c", "stale", *variant)
        for end in ENDS:
            process = run([program, end], REACH)
            check_behaviour(process, status=0 if end == "pthread" else 3)
            report = report_of(process)
            expect(f"{variant} {end}: lost", noted("stale.c"), lost_by_line(report))
            kept = sum(site["live_blocks"] for site in report["sites"] if site["function"] in ("end_deep", "end_with_register", "handle"))
            expect(f"{variant} {end}: kept", KEPT.get(end, 0), kept)
    # They call main's frame dead too; of registers valgrind knows those at the end of the process alone.
    for end in "main", "exit", "deep", "thread", "signal":
        expect(f"{end}: LeakSanitizer", True, total(noted("stale.c").values())[0] - 1 <= lost_to_leak_sanitizer("stale.c", end)[0] <= 512)
        expect(f"{end}: valgrind", True, 508 <= lost_to_valgrind("stale.c", end)[0] <= 512)


def looked_at():
    """The same where the program calls the runtime, or gets its signal, and runs on. What the kernel and raise put on the stack for
    a signal has gaps, in which a few addresses stand."""
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
            blocks, size = totals["lost_objects"], totals["lost_bytes"]
            expect(f"{variant} {arguments}: lost {blocks} of {size} B", True, size == 24 * blocks and 512 - 12 * len(arguments) <= blocks <= 512)


def coroutines():
    """The stacks that the program mapped are found by the stack pointers that it keeps for them."""
    for variant in ["-O0"], ["-O2"], ["-O2", "-static"]:
        program = build("coroutines.c", "coroutines", *variant)
        check_report(run([program], REACH), "coroutines.c")
        # Of stacks side by side, of which the kernel tells one mapping, dead parts may count. Nothing that is in use is lost.
        process = run([program, "bare"], REACH)
        check_behaviour(process)
        expect("lines that lost blocks", set(noted("coroutines.c")), set(noted("coroutines.c")) | set(lost_by_line(report_of(process))))


def mapped():
    """Blocks to which only memory leads that the program mapped are possibly lost, and no page of it that was not there is touched."""
    for variant in ["-O0"], ["-O2"], ["-O2", "-static"], ["-O2", "-ljemalloc"], ["-O2", "-lmimalloc"]:
        program = build("mapped.c", "mapped", *variant)
        report = check_report(run([program], REACH), "mapped.c")
        expect("resident", True, report["run"]["max_resident_bytes"] < 100 << 20)
        expect("exact", (True, None), (report["exact"], report.get("lost_unknown")))
        lines = run([program], "reach=1").err
        blocks = total(noted("mapped.c", what="possibly").values())
        expect(f"told: {lines}", True, f"; possibly lost: {blocks[0]} blocks of {blocks[1]} B, to which only memory points" in lines)


def registered():
    """Memory that the program has registered keeps what it leads to, until it takes that back; in a forked child, too."""
    for variant in ["-O0"], ["-O2"], ["-O2", "-static"]:
        program = build("registered.c", "registered", f"-I{INCLUDE}", *variant)
        process = run([program], REACH)
        check_behaviour(process)
        for report in all_reports():
            expect(f"{variant}: possibly lost by line", noted("registered.c", what="possibly"), lost_by_line(report, "possibly_lost"))
            expect(f"{variant}: lost by line", noted("registered.c"), lost_by_line(report))
        expect(f"{variant}: reports", 2, len(all_reports()))


def run_by_allocsite_run():
    """Without a report of its own, in the report of all processes together."""
    program = build("stale.c", "stale", plain=True)
    lost_line = r"\nlost: 512 blocks of 12\.0 KiB; "
    for arguments, options in ([], "reach=1"), (["--leaks"], ""), (["--leaks", "--stacks=4"], "top=3"):
        for end in "main", "_exit", "deep":
            process = run([f"{BIN}/allocsite-run", *arguments, program, end], options)
            check_behaviour(process, err=process.err)
            expect(f"{arguments} {options} {end}: {process.err}", True, re.search(lost_line, process.err) is not None)
    process = run([f"{BIN}/allocsite-run", "--leaks", "sh", "-c", f"{program} exit; exec {program} main"], "")
    expect(f"two processes: {process.err}", True, re.search(r"\nlost: 1,0[2-9]\d blocks of ", process.err) is not None)  # the shell has some
    for arguments, options in ([], ""), (["--leaks"], "reach=0"):
        process = run([f"{BIN}/allocsite-run", *arguments, program], options)
        expect(f"{arguments} {options}: {process.err}", None, re.search("\nlost: ", process.err))


def busy():
    """What the threads have in hand changes between the counts of a report, but not what was lost before."""
    program = build("busy.c", "busy")
    for _ in range(20):
        process = run([program], REACH)
        check_behaviour(process)
        report = json.load(open(f"busy.{process.pid}.json"))
        expect("lost", noted("busy.c"), lost_by_line(report))


def denied():
    """One thread needs no other to be stopped; with two there is no answer, and the program does not notice. A program with a filter
    of its own starts nothing."""
    program = build("denied.c", "denied")
    process, report = run_sandboxed([program, "start one"], ":reach=1")
    check_behaviour(process)
    expect("alone", (1, 10), lost(report["totals"]))
    for mode, reason in ("start two", "ptrace is not permitted"), ("one", "the program is in a sandbox of its own"):
        process, report = run_sandboxed([program, mode], ":reach=1")
        check_behaviour(process)
        expect(f"{mode}: reason {report.get('lost_unknown')}", True, reason in (report.get("lost_unknown") or ""))
        expect(f"{mode}: no numbers", [], [site for site in report["sites"] if "lost_blocks" in site])


def simulated():
    """Valgrind ends a process that asks for what the search needs."""
    if not shutil.which("valgrind"):
        sys.exit(SKIPPED)
    program = build("denied.c", "denied")
    process, report = run_sandboxed(["valgrind", "--tool=none", "-q", program], ":reach=1")
    expect("status and output", (3, "done\n"), (process.returncode, process.out))
    expect("reason", True, "valgrind" in report["lost_unknown"])
    expect("program", program, report["program"])


def apart():
    for linking in [], ["-static"]:
        process = run([build("apart.c", "apart", *linking)])
        expect(f"{linking}: tables", (0, True), (process.returncode, re.match(r"0 of [12] open$", process.out) is not None))


main([single, objects, threads, opened, static, other_allocators, stale, looked_at, coroutines, mapped, registered, run_by_allocsite_run, busy, denied, simulated, apart])
