# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of searching live blocks at exit: the heap is one long list, so reach=1 finds every block through all blocks
before it."""
from dataclasses import dataclass

from build import options
from interleave import PLAIN, Job, Variant, interleaved, seconds
from times import COUNTING

SIZE, MIB = 32, 64
VARIANTS = [COUNTING] + [Variant(switch, variables=options(switch)) for switch in ("leaks=1", "reach=1")]


@dataclass
class Live:
    name: str
    seconds: float  # wall time of the whole program
    added: float    # seconds added to the plain program


def measure(builder, rounds, mib):
    results = interleaved(builder, Job("heap.c", [str(SIZE), str(mib)]), [PLAIN] + VARIANTS, rounds)
    for variant in [PLAIN] + VARIANTS:
        total = seconds(results, variant.name)
        yield Live(variant.name, total, total - seconds(results, PLAIN.name))


def section(builder, arguments):
    mib = 1 if arguments.quick else MIB
    blocks = (mib << 20) // SIZE
    rounds = arguments.rounds or 11
    rows = list(measure(builder, rounds, mib))
    print(f"\nExit with {blocks:,} live blocks of {SIZE} bytes: wall time of the program, and added to the plain one's")
    for row in rows:
        print(f"  {row.name:<16} {row.seconds:>8.3f} s {1000 * row.added:>8.1f} ms", flush=True)
    return {"blocks": blocks, "rounds": rounds, "rows": rows}
