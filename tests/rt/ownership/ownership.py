# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who owns which blocks, what was live at the peak, who frees them: against books that the programs keep themselves."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from harness import *

BOOK = ("allocs", "alloc_bytes", "reallocs", "realloc_bytes", "realloc_old_bytes", "frees", "freed_bytes", "moved",
        "moved_bytes", "live_blocks", "live_bytes", "peak_blocks", "peak_bytes", "max_live_blocks")
TRACES = [(seed, events, shape) for shape in range(4) for seed, events in ((1, 300), (2, 5000), (3, 60000))]


def books_of(process):
    rows = [list(map(int, line.split())) for line in process.out.splitlines()]
    return {row[0]: dict(zip(BOOK, row[1:])) for row in rows if any(row[1:])}


def compare(what, process, report):
    books = books_of(process)
    sited = {site["line"]: {counter: site[counter] for counter in BOOK} for site in report["sites"]
             if site["sited"] and any(site[counter] for counter in BOOK)}
    for line in sorted(books.keys() | sited.keys()):
        expect(f"{what}: line {line}", books.get(line), sited.get(line))
    for within in ("peak_within", "max_live_blocks_within"):
        expect(f"{what}: {within}", {0}, {report.get(within, 0)} | {site.get(within, 0) for site in report["sites"]})


def traces(program, options, environment={}):
    for seed, events, shape in TRACES:
        process = run([program, str(seed), str(events), str(shape)], "format=json:report=%e.%p.json" + options,
                      environment=environment)
        expect("status", (0, ""), (process.returncode, process.err))
        compare(f"seed {seed}, {events} events, shape {shape}{options}", process, report_of(process))


def one_thread():
    """Exact, peak and all, with the hot path and without it."""
    program = build("trace.c", "trace")
    traces(program, "")
    traces(program, ":pairs=1:sizes=1")


def one_thread_static():
    traces(build("trace.c", "trace", "-static"), "")


def one_thread_allocators():
    """Where small blocks lie at odd multiples of 8, and sizes of nothing get a block of their own."""
    program = build("trace.c", "trace")
    libraries = [path for name in ("libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0")
                 if os.path.exists(path := os.path.join(LIBRARIES, name))]
    for library in libraries:
        traces(build("trace.c", "trace_" + os.path.basename(library).split(".")[0], "-Wl,--no-as-needed", library), "")
    if not libraries:
        sys.exit(SKIPPED)


if __name__ == "__main__":
    main([one_thread, one_thread_static, one_thread_allocators])
