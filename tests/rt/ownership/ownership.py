# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Owners of blocks, live blocks at the peak, and frees, compared with books that the programs keep themselves."""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *

BOOK = ("allocs", "alloc_bytes", "reallocs", "realloc_bytes", "realloc_old_bytes", "frees", "freed_bytes", "moved",
        "moved_bytes", "live_blocks", "live_bytes", "peak_blocks", "peak_bytes", "max_live_blocks", "inherited_blocks",
        "inherited_bytes")
TRACES = [(seed, events, shape) for shape in range(5) for seed, events in ((1, 300), (2, 5000), (3, 60000))]


def rows_of(process, pid, kind):
    rows = [line.split() for line in process.out.splitlines()]
    return [list(map(int, row[2:])) for row in rows if row[:2] == [kind, str(pid)]]


def compare_details(what, process, report):
    """Compares pairs (owners and freeing sites) and requested sizes, if the report has them."""
    has_sizes = any("sizes" in site for site in report["sites"])
    lines = {site["id"]: site["line"] for site in report["sites"] if site["sited"]}
    if "pairs" in report:
        have = [[lines[pair["owner"]], lines.get(pair["by"]), pair["count"], pair["bytes"]] for pair in report["pairs"]
                if pair["owner"] in lines]
        expect(f"{what}: pairs", sorted(rows_of(process, report["pid"], "pair")), sorted(have))
    if has_sizes:
        have = [[site["line"], *size] for site in report["sites"] if site["sited"] for size in site["sizes"]]
        expect(f"{what}: sizes", sorted(rows_of(process, report["pid"], "size")), sorted(have))


def compare(what, process, report):
    books = {line: dict(zip(BOOK, row)) for line, *row in rows_of(process, report["pid"], "site") if any(row)}
    sited = {site["line"]: {counter: site[counter] for counter in BOOK} for site in report["sites"]
             if site["sited"] and any(site[counter] for counter in BOOK)}
    for line in sorted(books.keys() | sited.keys()):
        expect(f"{what}: line {line}", books.get(line), sited.get(line))
    compare_details(what, process, report)
    for within in ("peak_within", "max_live_blocks_within"):
        expect(f"{what}: {within}", {0}, {report.get(within, 0)} | {site.get(within, 0) for site in report["sites"]})


def traces(program, options, environment={}):
    for seed, events, shape in TRACES:
        process = run([program, str(seed), str(events), str(shape)], "format=json:report=%e.%p.json" + options,
                      environment=environment)
        expect("status", (0, ""), (process.returncode, process.err))
        compare(f"seed {seed}, {events} events, shape {shape}{options}", process, report_of(process))


def one_thread():
    """Exact including the peak, with and without the hot path."""
    program = build("trace.c", "trace", "-fallocsite-contexts=0")
    for switches in "", ":pairs=1", ":sizes=1", ":pairs=1:sizes=1", ":pairs=1:sizes=1:stack=2":
        traces(program, switches)


def one_thread_static():
    program = build("trace.c", "trace", "-fallocsite-contexts=0", "-static")
    traces(program, "")
    traces(program, ":pairs=1:sizes=1")


def one_thread_allocators():
    """Small blocks at odd multiples of 8, and separate blocks for size 0."""
    for library in allocator_libraries():
        program = build("trace.c", "trace_" + os.path.basename(library).split(".")[0], "-fallocsite-contexts=0", "-Wl,--no-as-needed", library)
        traces(program, "")
        traces(program, ":pairs=1:sizes=1")


def preloaded_allocators():
    """The same allocators before the runtime in the loader's order."""
    program = build("trace.c", "trace", "-fallocsite-contexts=0")
    for library in allocator_libraries():
        traces(program, "", {"LD_PRELOAD": library})
        traces(program, ":pairs=1:sizes=1", {"LD_PRELOAD": library})


def forks_of(program, children, options=""):
    for seed, events, shape in TRACES:
        process = run([program, *map(str, (seed, events, shape, children))], "format=json:report=%e.%p.json" + options)
        expect("status", (0, ""), (process.returncode, process.err))
        reports = all_reports()
        expect("reports", 1 + max(children, 0), len(reports))
        for report in reports:
            expect("exact", [], report["inexact_reasons"])
            compare(f"seed {seed}, {events} events, shape {shape}, {children} children{options}", process, report)


def forks():
    """Children and grandchildren that free and reallocate inherited blocks, and allocate."""
    program = build("trace.c", "trace", "-fallocsite-contexts=0")
    forks_of(program, 3)
    forks_of(program, 1, ":pairs=1:sizes=1")
    forks_of(program, -1)


EXCHANGED = *BOOK[:11], *BOOK[14:]
EXCHANGES = [(seed, threads, 400000 // threads, size) for seed in (1, 2, 3) for threads in (2, 3, 8, 32)
             for size in (16, 2000)]


def check_bound(what, least, most, found, within):
    """The true value is between least and most. The reported value does not exceed it, and is below it by at most
    `within`."""
    if not found <= most or not least <= found + within:
        wrong.append(f"{what}: {found} and {within} more at the most, but it was {least} to {most}")


def compare_exchange(what, process, report):
    rows = [list(map(int, line.split())) for line in process.out.splitlines()]
    *rows, (_, least, most) = [row[1:] for row in rows if row[0] == report["pid"]]
    sited = {site["line"]: site for site in report["sites"] if site["sited"]}
    expect(f"{what}: sites", {row[0] for row in rows}, {line for line in sited if sited[line]["live_blocks"]})
    for line, *counts, least_blocks, most_blocks in rows:
        expect(f"{what}: line {line}", dict(zip(EXCHANGED, counts)), {name: sited[line][name] for name in EXCHANGED})
        check_bound(f"{what}: blocks of line {line}", least_blocks, most_blocks, sited[line]["max_live_blocks"],
                    sited[line]["max_live_blocks_within"])
    unsited = sum(site["peak_bytes"] for site in report["sites"] if not site["sited"])
    check_bound(f"{what}: peak", least, most, report["totals"]["peak_bytes"] - unsited, report["peak_within"])
    if report["totals"]["peak_bytes"] > 10 << 20 and report["peak_within"] * 10 > report["totals"]["peak_bytes"]:
        wrong.append(f"{what}: a bound of {report['peak_within']} says little about {report['totals']['peak_bytes']}")


def exchanges(program, options=""):
    for seed, threads, events, size in EXCHANGES:
        process = run([program, *map(str, (seed, threads, events, size))], "format=json:report=%e.%p.json" + options)
        expect("status", (0, ""), (process.returncode, process.err))
        compare_exchange(f"seed {seed}, {threads} threads, sizes to {size}{options}", process, report_of(process))


def several_threads():
    """Exact except for peaks, which are within the bounds stated in the report."""
    exchanges(build("exchange.c", "exchange", "-fallocsite-contexts=0"))


def forked_in_rise():
    """The child's peak is what it inherited, even if the parent's peak was still rising."""
    process = run([build("risen.c", "risen")])
    expect("status", 0, process.returncode)
    for report in all_reports():
        if report["pid"] != process.pid:
            expect("peaks of the child", {"large": (1, 1000), "small": (1, 10)},
                   {site["function"]: (site["peak_blocks"], site["peak_bytes"]) for site in report["sites"]})


def forks_of_threads():
    """The child has only the forking thread and owns the blocks of all; its peak is exact again."""
    program = build("exchange.c", "exchange", "-fallocsite-contexts=0")
    for seed, threads, how in ((1, 2, "calm"), (2, 8, "calm"), (3, 32, "calm"), (4, 2, "wild"), (5, 8, "wild")):
        process = run([program, str(seed), str(threads), "20000", "2000", how])
        expect("status", (0, ""), (process.returncode, process.err))
        reports = all_reports()
        expect("reports", 2 if how == "calm" else 6, len(reports))
        for report in reports:
            what = f"seed {seed}, {threads} threads, {how}, {'parent' if report['pid'] == process.pid else 'child'}"
            expect(f"{what}: exact", [], report["inexact_reasons"])
            if how == "calm" or report["pid"] == process.pid:
                compare_exchange(what, process, report)
            if report["pid"] != process.pid:
                expect(f"{what}: peak_within", 0, report["peak_within"])


def short_threads():
    """The runtime's memory depends on the number of concurrent threads, not on the number of threads that ever ran."""
    program = build("short_threads.c", "short_threads")
    # KiB that are no leak: a free after a thread has passed on its slab may take another slab of 128 MiB address space.
    for count, at_a_time, spare_space, spare in ((10000, 1, 0, 256), (10000, 8, 8 * 131072, 1024)):
        # Each of glibc's arenas takes 64 MiB of address space, and their number depends on timing.
        process = run([program, str(count), str(at_a_time)], environment={"MALLOC_ARENA_MAX": "1"})
        report = report_of(process)
        expect("exact", [], report["inexact_reasons"])
        space, resident, space_after, resident_after = map(int, process.out.split())
        what = f"{count} threads, {at_a_time} at a time"
        if space_after > space + spare_space or resident_after > resident + spare:
            wrong.append(f"{what}: {space} KiB of address space became {space_after}, {resident} resident {resident_after}")
        line = next(number for number, text in enumerate(open(source("short_threads.c")), 1) if "/* each */" in text)
        site = next(site for site in report["sites"] if site["line"] == line)
        expect(f"{what}: blocks", [count, count, 0], [site[counter] for counter in ("allocs", "frees", "live_blocks")])
        most, within = site["max_live_blocks"], site["max_live_blocks_within"]
        if not most <= at_a_time <= most + within:
            wrong.append(f"{what}: {most} and {within} more blocks at once")


def handed_over():
    """A block belongs to its site whichever thread frees it; the queues limit how many can be live."""
    report = exact("handed_over.c")
    produced, grown = sorted((site for site in report["sites"] if site["sited"] and site["callee"] != "pthread_create" and
                              site["live_blocks"] + site["allocs"] + site["reallocs"]), key=lambda site: site["line"])
    expect("produced", [0, 0, 100000, 4000000, 0, 0], [produced[counter] for counter in BOOK[5:11]])
    expect("grown", [100000, 100000000, 0, 0, 0, 0], [grown[counter] for counter in BOOK[5:11]])
    for site in produced, grown:
        if site["max_live_blocks"] > 64 + 2:
            wrong.append(f"line {site['line']}: {site['max_live_blocks']} blocks at once")
    process = run([os.path.join(WORK, "handed_over")], "format=json:report=%e.%p.json:pairs=1")
    report = report_of(process)
    lines = {site["id"]: site["line"] for site in report["sites"] if site["sited"]}
    consumer = next(number for number, text in enumerate(open(source("handed_over.c")), 1) if "@ any" in text)
    expect("pairs", {(produced["line"], grown["line"], "realloc", 100000, 4000000),
                     (grown["line"], consumer, "free", 100000, 100000000)},
           {(lines[pair["owner"]], lines.get(pair["by"]), pair["kind"], pair["count"], pair["bytes"])
            for pair in report["pairs"] if pair["owner"] in lines})


def large():
    """Sizes are exact at any size; failed requests are counted as failed."""
    glibc, jemalloc = [build("large.c", "large", "-fallocsite-contexts=0")], os.path.join(LIBRARIES, "libjemalloc.so.2")
    runs = [(glibc, ""), (glibc, ":pairs=1:sizes=1")]
    if os.path.exists(jemalloc):  # jemalloc can allocate tens of GiB that glibc cannot
        runs.append(([build("large.c", "large_jemalloc", "-fallocsite-contexts=0", "-Wl,--no-as-needed", jemalloc), "limited"], ""))
    for command, options in runs:
        process = run(command, "format=json:report=%e.%p.json" + options)
        report = report_of(process)
        expect("status", (0, "", []), (process.returncode, process.err, report["inexact_reasons"]))
        kept = next(number for number, text in enumerate(open(source("large.c")), 1) if "/* kept */" in text)
        for line, blocks, size, failed in (map(int, row.split()) for row in process.out.splitlines()):
            counts = [sum(site[counter] for site in report["sites"] if site["sited"] and site["line"] == line)
                      for counter in ("allocs", "reallocs", "alloc_bytes", "realloc_bytes", "failed", "live_blocks",
                                      "live_bytes")]
            expect(f"line {line}", [blocks, size, failed, *([blocks, size] if line == kept else [0, 0])],
                   [counts[0] + counts[1], counts[2] + counts[3], *counts[4:]])


def exhausted():
    """A failed allocation is counted as failed, and nothing else."""
    program = build("exhausted.cpp", "exhausted", "-fallocsite-contexts=0")
    for options in "", ":sizes=1", ":owners=0":
        process = run([program], "format=json:report=%e.%p.json" + options)
        report = report_of(process)
        expect("status", (0, ""), (process.returncode, process.err))
        for line, blocks, size in (map(int, row.split()) for row in process.out.splitlines()):
            counts = [[site[counter] for counter in ("allocs", "alloc_bytes", "failed", "frees")] for site in report["sites"]
                      if site["sited"] and site["line"] == line and site["callee"] != "free"]
            expect(f"line {line}{options}", [[blocks, blocks * size, 1, 0 if options == ":owners=0" else blocks]], counts)
            sizes = [size[-1] for site in report["sites"] if site["sited"] and site["line"] == line for size in site.get("sizes", [])]
            expect(f"sizes of line {line}{options}", [blocks] if options == ":sizes=1" else [], sizes)


def usable():
    """malloc_usable_size is the same as without allocsite, and programs may use that size."""
    for library in None, *allocator_libraries():
        link = ["-Wl,--no-as-needed", library] if library else []
        outputs = []
        for plain in True, False:
            process = run([build("usable.c", "usable", *link, plain=plain)])
            expect(f"{library}: status", (0, ""), (process.returncode, process.err))
            outputs.append(process.out)
        expect(f"{library}: sizes", *outputs)
        report = report_of(process)
        expect(f"{library}: blocks freed", report["totals"]["allocs"] - report["totals"]["live_blocks"],
               report["totals"]["frees"])
        expect(f"{library}: exact", [], report["inexact_reasons"])


def left():
    process = run([build("left.cpp", "left")], "format=json:report=%e.%p.json:pairs=1")
    report = report_of(process)
    check_behaviour(process, out="")
    lines = {site["id"]: site["line"] for site in report["sites"] if site["file"]}
    marks = {text.split("// ")[1].strip(): number for number, text in enumerate(open(source("left.cpp")), 1)
             if "; // " in text}
    expect("pairs", {(marks["owner"], marks["by"], 1, 4), (marks["later"], marks["later"], 1, 100)},
           {(lines[pair["owner"]], lines.get(pair["by"]), pair["count"], pair["bytes"]) for pair in report["pairs"]
            if pair["owner"] in lines})


def alternating():
    """Two threads alternately own a block of one line. The measurement interrupts arbitrary events, but two blocks were live
    at the same time."""
    program = build("alternating.c", "alternating")
    for _ in range(5):
        process = run([program])
        check_behaviour(process)
        line = next(number for number, text in enumerate(open(source("alternating.c")), 1) if "/* taken */" in text)
        site = next(site for site in report_of(process)["sites"] if site["line"] == line)
        if site["max_live_blocks"] + site["max_live_blocks_within"] < 2:
            wrong.append(f"{site['max_live_blocks']} blocks at once within {site['max_live_blocks_within']}")


def no_barrier():
    """If the kernel refuses membarrier, the report says so, and the program is unaffected."""
    process, report = run_sandboxed([build("no_barrier.c", "no_barrier")])
    check_behaviour(process, "0 0\n", 0)
    expect("reasons", 1, sum("membarrier" in reason for reason in report["inexact_reasons"]))


def rare_barriers():
    """Threads are interrupted to determine the peak: 1,074 to 1,097 times for 400,000 events of two threads."""
    program = build("exchange.c", "exchange", "-fallocsite-contexts=0")
    counter = build("barriers.c", "libbarriers.so", "-shared", "-fPIC", plain=True)
    process = run([program, "1", "2", "200000", "2000"], "report=/dev/null", environment={"LD_PRELOAD": counter})
    expect("few barriers", (0, True), (process.returncode, 0 < int(process.err) < 1200))


def recycler():
    build("recycler.c", "librecycler.so", "-shared", "-fPIC", "-fno-builtin", plain=True)
    return ["-Wl,--no-as-needed", os.path.join(WORK, "librecycler.so"), f"-Wl,-rpath,{WORK}"]


def abandon(how, times, options=""):
    """The process ends, and its peak is at least its live bytes, unless the report says that a call was interrupted.
    Jumps and cancellations interrupt a few calls."""
    program = build("abandoned.c", "abandoned", *recycler())
    process = run(["timeout", "-s", "KILL", "20", program, how, times], "format=json:report=abandoned.json" + options)
    expect("ends", (3, "done\n", ""), (process.returncode, process.out, process.err))
    if process.returncode == 3:
        report = load("abandoned.json")
        totals = report["totals"]
        for reason in report["inexact_reasons"]:
            expect("reason", True, "counted in part" in reason)
        if report["exact"] and not 64 << 20 <= totals["live_bytes"] <= totals["peak_bytes"] + report["peak_within"]:
            wrong.append(f"{totals['live_bytes']} are live, but {totals['peak_bytes']} within {report['peak_within']} at the peak")


def overflows():
    """If the stack overflows during an event, the report says so, or the counts are right."""
    program = build("overflowing.c", "overflowing", *observer())
    for options in "", ":stack=4", ":pairs=1:sizes=1:lifetime=1", ":temporary=1":
        for kind, warm in itertools.product("012", "01"):
            process = run([program, kind, warm], "format=json:report=overflowing.json" + options)
            expect("ends", (3, ""), (process.returncode, process.err))
            if json.load(open("overflowing.json"))["exact"]:
                check_observed(process, load("overflowing.json"))


def left_by_jumps():
    abandon("jump", "6000")


def cancelled():
    abandon("cancel", "3000")


def several_threads_details():
    exchanges(build("exchange.c", "exchange", "-fallocsite-contexts=0"), ":pairs=1:sizes=1")


def several_threads_static():
    exchanges(build("exchange.c", "exchange", "-fallocsite-contexts=0", "-static"))


def temporary():
    """Blocks that are freed before the thread allocates again, with any other counts; none if not requested."""
    with open(source("temporary.c")) as file:
        wanted = {number: int(line.split("// = ")[1]) for number, line in enumerate(file, 1) if "// = " in line}
    for linking in [], ["-static"]:
        program = build("temporary.c", "temporary", *linking)
        for options in "", ":pairs=1", ":sizes=1", ":pairs=1:sizes=1", ":stack=8":
            report = report_of(run([program], "format=json:report=%e.%p.json:temporary=1" + options))
            have = dict.fromkeys(wanted, 0)
            for stack in report["stacks"]:  # strdup has no site in a static program
                line = next((frame["line"] for frame in stack["frames"] if (frame["file"] or "").endswith("temporary.c")), 0)
                if line in wanted:
                    have[line] += stack.get("temporary", 0)
            expect(f"{linking}{options}", wanted, have)
        report = report_of(run([program]))
        expect("not asked for", False, any("temporary" in part for part in [report["totals"], *report["sites"]]))


if __name__ == "__main__":
    main([one_thread, one_thread_static, one_thread_allocators, preloaded_allocators, forks, forked_in_rise,
          forks_of_threads, short_threads, handed_over, large, exhausted, usable, left, several_threads, several_threads_details,
          several_threads_static, alternating, no_barrier, rare_barriers, left_by_jumps, overflows, cancelled, temporary])
