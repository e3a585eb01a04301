# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of further threads that allocate at full speed. Each does the work of one. On an idle machine with enough
processors they take as long as one, except for contention in the allocator and allocsite."""
import os
from dataclasses import dataclass

from goals import verdict
from interleave import PLAIN, Job, Ratio, Variant, interleaved, quartiles, ratio, seconds
from times import COUNTING

COUNTS = [1, 2, 4]

# Repetitions of each thread in a full run.
KINDS = {
    "own": (8000000, "malloc and free of its own blocks"),
    "handover": (4000000, "malloc in one thread, free in another"),
    "grow": (1000000, "malloc of a growing heap, then free"),
}


@dataclass
class Scaling:
    kind: str
    threads: int
    seconds: float  # wall time of the plain program
    wall: Ratio     # with allocsite / plain
    scaling: Ratio  # (n threads / one thread) with allocsite / the same plain


def variant(base, threads):
    return Variant(f"{base.name} {threads}", base.kind, arguments=(str(threads),))


def scaling(runs, threads):
    def growth(base):
        return runs[variant(base, threads).name].wall / runs[variant(base, 1).name].wall
    return growth(COUNTING) / growth(PLAIN)


def measure_kind(builder, kind, work, counts, rounds):
    variants = [variant(base, threads) for threads in counts for base in (PLAIN, COUNTING)]
    results = interleaved(builder, Job("threads.c", [kind, str(work)]), variants, rounds)
    for threads in counts:
        plain, counting = variant(PLAIN, threads).name, variant(COUNTING, threads).name
        yield Scaling(kind, threads, seconds(results, plain), ratio(results, counting, plain),
                      quartiles([scaling(runs, threads) for runs in results]))


def measure(builder, rounds, quick):
    counts = [count for count in COUNTS if count <= max(2, os.cpu_count())]
    for kind, (work, _) in KINDS.items():
        yield from measure_kind(builder, kind, work // 1000 if quick else work, counts, rounds)


def section(builder, arguments):
    rounds = arguments.rounds or 21
    print(f"\nThreads at full speed: wall time with allocsite / without, and scaling with / without: medians"
          f" (quartiles) of {rounds} rounds")
    print(f"  {'':38} {'threads':>7} {'plain':>9} {'wall':>8} {'':15} {'scaling':>8}")
    measured = []
    for row in measure(builder, rounds, arguments.quick):
        measured.append(row)
        wall, scaling = row.wall, row.scaling
        print(f"  {KINDS[row.kind][1]:<38} {row.threads:>7} {row.seconds:>7.3f} s"
              f" {wall.median:>8.3f} ({wall.low:.3f} {wall.high:.3f})"
              f" {scaling.median:>8.3f} ({scaling.low:.3f} {scaling.high:.3f})"
              + (verdict(arguments, scaling.median, "scaling") if row.threads > 1 else ""), flush=True)
    return {"rounds": rounds, "rows": measured}
