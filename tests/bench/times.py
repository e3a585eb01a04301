# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What allocsite costs whole programs in time.

The two builds of a program run in turns, so that whatever else the machine does hits both alike, and each round
gives one ratio; the medians of these are the result.
"""
import math
import os
import statistics
import time
from dataclasses import dataclass

from build import environment, fail

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


@dataclass
class Run:
    wall: float
    cpu: float


@dataclass
class Ratio:
    """The instrumented program's time over the plain one's."""
    median: float
    low: float  # quartiles over the rounds
    high: float


@dataclass
class Program:
    name: str
    seconds: float  # wall time of the plain one
    wall: Ratio
    cpu: Ratio
    least: float  # ratio of the least CPU times: what others do on the machine can only add to a time


def timed(command, output):
    with open(output, "wb") as out, open(os.devnull, "wb") as null:
        redirect = [(os.POSIX_SPAWN_DUP2, out.fileno(), 1), (os.POSIX_SPAWN_DUP2, null.fileno(), 2)]
        begin = time.perf_counter()
        pid = os.posix_spawn(command[0], command, environment(), file_actions=redirect)
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - begin
    if status != 0:
        fail(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return Run(wall, usage.ru_utime + usage.ru_stime)


def same_output(outputs):
    left, right = (open(output, "rb").read() for output in outputs)
    if left != right:
        fail(f"{outputs[0]} and {outputs[1]} differ: the program does not do the same with allocsite")


def ratio(pairs, figure):
    ratios = [figure(counted) / figure(plain) for plain, counted in pairs]
    if len(ratios) == 1:
        return Ratio(*ratios * 3)
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return Ratio(median, low, high)


def measure_program(builder, source, work, data, rounds):
    executables = builder.pair(source)
    outputs = [executable + ".out" for executable in executables]
    commands = [[executable, str(work)] + ([data] if data else []) for executable in executables]
    pairs = []
    for number in range(rounds):
        order = (0, 1) if number % 2 == 0 else (1, 0)
        runs = {which: timed(commands[which], outputs[which]) for which in order}
        pairs.append((runs[0], runs[1]))
    same_output(outputs)
    least_plain, least_counted = (min(run.cpu for run in runs) for runs in zip(*pairs))
    return Program(os.path.splitext(source)[0], statistics.median(plain.wall for plain, _ in pairs),
                   ratio(pairs, lambda run: run.wall), ratio(pairs, lambda run: run.cpu), least_counted / least_plain)


def measure(builder, rounds, quick):
    for source, work, data in PROGRAMS:
        yield measure_program(builder, source, 1 + work // 1000 if quick else work, data, rounds)


def geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))
