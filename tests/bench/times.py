# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What allocsite costs whole programs in time, and what each of its switches makes of that."""
import os
import tempfile
from dataclasses import dataclass

from build import options
from goals import verdict
from interleave import PLAIN, Cost, Variant, cost, geometric_mean, interleaved, seconds

TABLE = "/usr/share/iso-codes/json/iso_639-3.json"
PROSE = "/usr/share/common-licenses/GPL-3"

# How often each does its work in a full run: for about a sixth of a second, so that many rounds make a median.
PROGRAMS = [
    ("trees.cpp", 80, None),
    ("words.c", 16, TABLE),
    ("parse.cpp", 10, TABLE),
    ("queues.c", 1500000, None),
    ("split.cpp", 5, TABLE),
    ("formulas.c", 150000, None),
    ("buffers.c", 1000, PROSE),
    ("exchange.c", 300, None),
]

COUNTING = Variant("allocsite")
SWITCHES = [Variant(switch, variables=options(switch)) for switch in ("enabled=0", "pairs=1", "sizes=1", "reach=1")]
# On the disk where temporary files are, as a user's would be on his.
SWITCHES.append(Variant("profile", variables=options(f"profile={tempfile.gettempdir()}/allocsite-bench.profile")))


@dataclass
class Program:
    name: str
    seconds: float  # wall time of the plain one
    costs: dict[str, Cost]  # by variant


def programs(quick):
    """Name, source and arguments of each."""
    for source, work, data in PROGRAMS:
        arguments = [str(1 + work // 1000 if quick else work)] + ([data] if data else [])
        yield os.path.splitext(source)[0], source, arguments


def measure(builder, variants, rounds, quick):
    for name, source, arguments in programs(quick):
        results = interleaved(builder, source, arguments, [PLAIN] + variants, rounds)
        yield Program(name, seconds(results), {variant.name: cost(results, variant.name) for variant in variants})


def print_program(program, switches, note):
    counting = program.costs[COUNTING.name]
    wall, cpu = counting.wall, counting.cpu
    print(f"  {program.name:<16} {program.seconds:>7.3f} s {wall.median:>8.3f} ({wall.low:.3f} {wall.high:.3f})"
          f" {cpu.median:>8.3f} ({cpu.low:.3f} {cpu.high:.3f}) {counting.least:>8.3f}"
          + "".join(f" {program.costs[switch.name].wall.median:>10.3f}" for switch in switches) + note, flush=True)


def geometric_means(measured, variant):
    costs = [program.costs[variant.name] for program in measured]
    return {"wall": geometric_mean(cost.wall.median for cost in costs),
            "cpu": geometric_mean(cost.cpu.median for cost in costs),
            "least": geometric_mean(cost.least for cost in costs)}


def section(builder, arguments):
    switches = SWITCHES if arguments.switches else []
    rounds = arguments.rounds or 41
    print(f"\nTime with allocsite / without: medians (quartiles) of {rounds} rounds, least CPU times"
          + (", wall medians with switches" if switches else ""))
    print(f"  {'program':<16} {'plain':>9} {'wall':>8} {'':15} {'CPU':>8} {'':15} {'least':>8}"
          + "".join(f" {switch.name:>10}" for switch in switches))
    measured = []
    for program in measure(builder, [COUNTING] + switches, rounds, arguments.quick):
        measured.append(program)
        print_program(program, switches, verdict(arguments, program.costs[COUNTING.name].wall.median, "program"))
    means = {variant.name: geometric_means(measured, variant) for variant in [COUNTING] + switches}
    mean = means[COUNTING.name]
    print(f"  {'geometric mean':<26} {mean['wall']:>8.3f} {'':15} {mean['cpu']:>8.3f} {'':15} {mean['least']:>8.3f}"
          + "".join(f" {means[switch.name]['wall']:>10.3f}" for switch in switches)
          + verdict(arguments, mean["wall"], "wall", " (wall)"))
    return {"rounds": rounds, "programs": measured, "geometric_mean": means}
