# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs variants of a program alternately and compares their times.

Other load on the machine affects all variants of a round alike, and each round gives one ratio. The rounds alternate
between the layouts of the code. The result is the geometric mean of the layouts' medians."""
import contextlib
import math
import os
import shutil
import statistics
import time
from dataclasses import dataclass, field

from build import LAYOUTS, environment


@dataclass(frozen=True)
class Job:
    """The work that all variants of a program do."""
    source: str
    arguments: list
    written: str = ""  # file written by a run, compared like its output


@dataclass(frozen=True)
class Variant:
    name: str
    kind: str = "allocsite"  # kind of executable (build.py)
    variables: dict = field(default_factory=dict)
    prefix: tuple = ()  # command that runs the executable
    arguments: tuple = ()  # in addition to those of all variants
    profiles: str = ""  # directory in which each run must leave a file

    def command(self, builder, source, arguments):
        return [*self.prefix, builder.build(source, self.kind), *arguments, *self.arguments]


class RunFailed(Exception):
    """A run failed, or its output differed from the first variant's."""

    def __init__(self, variant, what):
        super().__init__(f"{variant.name}: {what}")
        self.variant = variant


PLAIN = Variant("plain", "plain")


@dataclass
class Run:
    wall: float
    cpu: float


@dataclass
class Ratio:
    """A variant's time divided by the plain program's."""
    median: float  # geometric mean of the layouts' medians
    low: float  # quartiles over the rounds
    high: float


@dataclass
class Cost:
    wall: Ratio
    cpu: Ratio
    least: float  # ratio of the least CPU times, because other processes can only add time


def timed(variant, command, output):
    with open(output, "wb") as out, open(os.devnull, "wb") as null:
        redirect = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, null.fileno(), 2)]
        begin = time.perf_counter()
        pid = os.posix_spawn(command[0], command, environment(variant.variables), file_actions=redirect)
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - begin
    if status != 0:
        raise RunFailed(variant, f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return Run(wall, usage.ru_utime + usage.ru_stime)


def profiled(variant, command, output):
    """Checks that the tool has written a profile. A tool that did nothing would look fast."""
    shutil.rmtree(variant.profiles, ignore_errors=True)
    os.makedirs(variant.profiles)
    run = timed(variant, command, output)
    if not any(entry.stat().st_size for entry in os.scandir(variant.profiles)):
        raise RunFailed(variant, f"{' '.join(command)}: left no profile")
    shutil.rmtree(variant.profiles)
    return run


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def take(variant, written, output):
    """Appends the file written by a run to its output."""
    if not written:
        return
    if not os.path.exists(written):
        raise RunFailed(variant, f"did not write {written}")
    with open(output, "ab") as everything:
        everything.write(contents(written))
    os.remove(written)


def run_variant(variant, command, output, written, expected):
    run = (profiled if variant.profiles else timed)(variant, command, output)
    take(variant, written, output)
    # Some tools print lines before and after the program's output.
    if contents(expected) not in contents(output):
        raise RunFailed(variant, f"{output} is not what it should be ({expected})")
    return run


def rotated(variants, by):
    by %= len(variants)
    return variants[by:] + variants[:by]


def round_of(builder, job, variants, number):
    builder.layout = number % builder.layouts
    expected = builder.build(job.source, "plain") + ".expected"
    output = builder.build(job.source, "plain") + ".out"
    commands = {variant.name: variant.command(builder, job.source, job.arguments) for variant in variants}
    if not os.path.exists(expected):
        timed(variants[0], commands[variants[0].name], expected)
        take(variants[0], job.written, expected)
    return {variant.name: run_variant(variant, commands[variant.name], output, job.written, expected)
            for variant in rotated(variants, number)}


def single(builder, job, variant):
    """Runs one variant once."""
    output = builder.build(job.source, "plain") + ".out"
    run = timed(variant, variant.command(builder, job.source, job.arguments), output)
    take(variant, job.written, output)
    return run


def interleaved(builder, job, variants, rounds):
    """Returns for each round the runs of all variants by name. The first variant's output is expected from all."""
    for layout in range(min(rounds, builder.layouts)):
        builder.layout = layout
        with contextlib.suppress(FileNotFoundError):
            os.remove(builder.build(job.source, "plain") + ".expected")
    results = [round_of(builder, job, variants, number) for number in range(rounds)]
    builder.layout = 0
    return results


def layout_medians(values, layouts):
    return [statistics.median(values[layout::layouts]) for layout in range(min(layouts, len(values)))]


def quartiles(values, layouts=len(LAYOUTS)):
    if len(values) == 1:
        return Ratio(*values * 3)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return Ratio(geometric_mean(layout_medians(values, layouts)), low, high)


def ratio(results, name, base="plain", figure="wall", layouts=len(LAYOUTS)):
    return quartiles([getattr(runs[name], figure) / getattr(runs[base], figure) for runs in results], layouts)


def cost(results, name, base="plain", layouts=len(LAYOUTS)):
    least = min(runs[name].cpu for runs in results) / min(runs[base].cpu for runs in results)
    return Cost(ratio(results, name, base, layouts=layouts), ratio(results, name, base, "cpu", layouts), least)


def seconds(results, name="plain"):
    return statistics.median(runs[name].wall for runs in results)


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))
