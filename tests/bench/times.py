# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The run-time cost of allocsite and of each of its switches, for programs that do little but allocate. Also the tables
that real_programs.py uses."""
import json
import os
import tempfile
from dataclasses import dataclass

from build import options
from goals import verdict
from interleave import PLAIN, Cost, Job, Variant, cost, geometric_mean, interleaved, seconds, single

TABLE = "/usr/share/iso-codes/json/iso_639-3.json"
PROSE = "/usr/share/common-licenses/GPL-3"

# Repetitions in a full run, for about a sixth of a second, so that many rounds give a median.
PROGRAMS = [
    ("trees.cpp", 80, None),
    ("words.c", 16, TABLE),
    ("parse.cpp", 10, TABLE),
    ("queues.c", 1500000, None),
    ("split.cpp", 5, TABLE),
    ("formulas.c", 150000, None),
    ("buffers.c", 1000, PROSE),
    ("exchange.c", 300, None),
    ("exchange.c", 150, "600"),
    ("mixture.c", 400, None),
    ("expand", 8000, None),
]

QUICK = "trees.cpp", "words.c", "expand"  # of C++, with data, of several files

COUNTING = Variant("allocsite")
ALONE = Variant("owners=0", variables=options("owners=0"))
CONTEXTS = Variant("contexts", kind="contexts")  # a stack per allocation
OFF = Variant("enabled=0", variables=options("enabled=0"))
SWITCHES = [OFF] + [Variant(switch, variables=options(switch)) for switch in ("pairs=1", "sizes=1", "reach=1")]
# In the directory of temporary files, as a user would have it.
SWITCHES.append(Variant("profile", variables=options(f"profile={tempfile.gettempdir()}/allocsite-bench.profile")))


@dataclass
class Subject:
    """A measured program and its builder."""
    name: str
    builder: object  # a Builder, or an object with `build`, `layout`, `layouts` and `work`
    job: Job


@dataclass
class Program:
    name: str
    seconds: float  # wall time of the plain program
    allocations: int  # per run
    costs: dict[str, Cost]  # by variant


@dataclass
class Group:
    name: str
    rounds: int
    programs: list[Program]
    geometric_mean: dict  # by variant


def programs(quick):
    """Returns names and jobs."""
    for source, work, data in PROGRAMS:
        if quick and source not in QUICK:
            continue
        arguments = [str(1 + work // 1000 if quick else work)] + ([data] if data else [])
        name = os.path.splitext(source)[0] + (f" {data}" if data and data.isdigit() else "")
        yield name, Job(source, arguments)


def allocations(subject):
    """Returns the allocations of a run, as allocsite counts them."""
    report = os.path.join(subject.builder.work, "allocations.json")
    single(subject.builder, subject.job, Variant("counted", variables=options(f"format=json:report={report}")))
    with open(report) as file:
        totals = json.load(file)["totals"]
    os.remove(report)
    return totals["allocs"] + totals["reallocs"]


def measure(subject, variants, rounds):
    results = interleaved(subject.builder, subject.job, [PLAIN] + variants, rounds)
    costs = {variant.name: cost(results, variant.name, layouts=subject.builder.layouts) for variant in variants}
    return Program(subject.name, seconds(results), allocations(subject), costs)


def print_head(name, rounds, switches):
    print(f"\n{name}: time with allocsite / without: medians (quartiles) of {rounds} rounds, least CPU times, "
          f"wall medians with {', '.join(switch.name for switch in switches)}")
    print(f"  {'program':<16} {'plain':>9} {'allocations/s':>13} {'wall':>8} {'':15} {'CPU':>8} {'':15} {'least':>8}"
          + "".join(f" {switch.name:>10}" for switch in switches), flush=True)


def print_program(program, switches, note):
    counting = program.costs[COUNTING.name]
    wall, cpu = counting.wall, counting.cpu
    print(f"  {program.name:<16} {program.seconds:>7.3f} s {program.allocations / program.seconds:>13,.0f}"
          f" {wall.median:>8.3f} ({wall.low:.3f} {wall.high:.3f})"
          f" {cpu.median:>8.3f} ({cpu.low:.3f} {cpu.high:.3f}) {counting.least:>8.3f}"
          + "".join(f" {program.costs[switch.name].wall.median:>10.3f}" for switch in switches) + note, flush=True)


def geometric_means(measured, variant):
    costs = [program.costs[variant.name] for program in measured]
    return {"wall": geometric_mean(cost.wall.median for cost in costs),
            "cpu": geometric_mean(cost.cpu.median for cost in costs),
            "least": geometric_mean(cost.least for cost in costs)}


def print_means(name, means, switches, note=""):
    mean = means[COUNTING.name]
    print(f"  {name:<40} {mean['wall']:>8.3f} {'':15} {mean['cpu']:>8.3f} {'':15} {mean['least']:>8.3f}"
          + "".join(f" {means[switch.name]['wall']:>10.3f}" for switch in switches) + note, flush=True)


def all_means(measured, switches):
    return {variant.name: geometric_means(measured, variant) for variant in [COUNTING] + switches}


def chosen_switches(arguments):
    return [ALONE] + (SWITCHES if arguments.switches else [])


def measure_group(name, subjects, rounds, arguments, more=()):
    """Measures and prints the subjects and their mean. more: further variants."""
    switches = [*chosen_switches(arguments), *more]
    print_head(name, rounds, switches)
    measured = []
    for subject in subjects:
        measured.append(measure(subject, [COUNTING] + switches, rounds))
        print_program(measured[-1], switches,
                      verdict(arguments, measured[-1].costs[COUNTING.name].wall.median, "program"))
    means = all_means(measured, switches)
    print_means("geometric mean", means, switches)
    return Group(name, rounds, measured, means)


def section(builder, arguments):
    subjects = [Subject(name, builder, job) for name, job in programs(arguments.quick)]
    return measure_group("Written for this, little but allocation", subjects, arguments.rounds or 41, arguments, [CONTEXTS])


def together(groups, arguments):
    """Prints the mean over the programs of all groups, to which the goal applies."""
    measured = [program for group in groups for program in group.programs]
    switches = chosen_switches(arguments)
    means = all_means(measured, switches)
    print(f"\nAll {len(measured)} programs")
    print_means("geometric mean", means, switches,
                verdict(arguments, means[COUNTING.name]["wall"], "wall", " (wall)")
                + verdict(arguments, means[ALONE.name]["wall"], "wall alone", f" ({ALONE.name})"))
    return means
