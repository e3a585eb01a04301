# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resident memory that allocsite adds to a small program, to each further thread of it, and to a large heap."""
import re
import statistics
from dataclasses import dataclass

from build import environment, run
from goals import verdict

THREADS = 33
HEAP_SIZES = [32, 1024]
HEAP_MIB = 200


@dataclass
class Added:
    """In KiB. Resident memory includes the pages of the runtime's file, which processes share."""
    resident: float
    private: float
    thread: float  # private memory per additional thread


@dataclass
class Heap:
    size: int  # size of a block
    mib: int   # requested memory
    plain: float  # KiB resident while all blocks are live
    counted: float

    @property
    def ratio(self):
        return self.counted / self.plain


def rollup(executable, *arguments):
    text = run([executable, *map(str, arguments)], environment())
    field = {name: int(size) for name, size in re.findall(r"^(\w+): +(\d+) kB$", text, re.MULTILINE)}
    return field["Rss"], field["Private_Clean"] + field["Private_Dirty"]


def medians(executables, runs, *arguments):
    """Returns (resident, private) of each executable."""
    rolled = [[rollup(executable, *arguments) for executable in executables] for _ in range(runs)]
    return [[statistics.median(figure) for figure in zip(*one)] for one in zip(*rolled)]


def added(executables, threads, runs):
    plain, counting = medians(executables, runs, threads)
    return [with_it - without for with_it, without in zip(counting, plain)]


def measure_added(builder, runs):
    executables = builder.pair("resident.c")
    resident, private = added(executables, 1, runs)
    _, many = added(executables, THREADS, runs)
    return Added(resident, private, (many - private) / (THREADS - 1))


def measure_heap(builder, size, mib, runs):
    plain, counting = medians(builder.pair("heap.c"), runs, size, mib, "rollup")
    return Heap(size, mib, plain[0], counting[0])


def print_added(result, arguments):
    print("\nMemory added to a small program")
    goal = verdict(arguments, result.resident, "resident", " KiB")
    print(f"  resident              {result.resident:>8.0f} KiB{goal}")
    print(f"  of that, private      {result.private:>8.0f} KiB")
    print(f"  each further thread   {result.thread:>8.1f} KiB", flush=True)


def print_heap(heap, arguments):
    print(f"  {heap.size:>5} bytes           {heap.plain / 1024:>8.1f} MiB {heap.counted / 1024:>8.1f} MiB"
          f" {heap.ratio:>8.3f}{verdict(arguments, heap.ratio, f'heap of {heap.size}')}", flush=True)


def section(builder, arguments):
    small = measure_added(builder, 1 if arguments.quick else 11)
    print_added(small, arguments)
    mib = 1 if arguments.quick else HEAP_MIB
    print(f"\nMemory of a heap of {mib} MiB: resident without and with allocsite, ratio")
    heaps = []
    for size in HEAP_SIZES:
        heaps.append(measure_heap(builder, size, mib, 1 if arguments.quick else 3))
        print_heap(heaps[-1], arguments)
    return {"added_kib": small, "heaps": heaps, "ratios": {heap.size: heap.ratio for heap in heaps}}
