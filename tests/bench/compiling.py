# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of the plugins when compiling a large C++ file: nlohmann/json's parser."""
import os
import re
import shutil
import statistics
import subprocess
from dataclasses import dataclass

from build import FLAGS, SOURCES, environment, fail
from goals import verdict
from instructions import collected
from interleave import rotated

LARGE = os.path.join(SOURCES, "..", "..", "demo", "json_demo.cpp")
SMALL = os.path.join(SOURCES, "heap.c")  # for --quick
LEVELS = ["-O2 -g", "-O2", "-O0 -g"]
VARIANTS = {"plain": None, "pass only": ["-fallocsite-types=0"], "both": []}


@dataclass
class Run:
    cpu: float  # seconds of the compiler and its children
    memory: int  # KiB
    size: int  # bytes of the object file


@dataclass
class Compiling:
    """Ratios to plain clang."""
    level: str
    variant: str
    instructions: float | None  # None: they cannot be counted on this machine
    median: float  # CPU time divided by plain clang's in the same round
    least: float   # ratio of the least CPU times, because other processes can only add time
    memory: float
    size: float


def command(builder, own, level, source):
    suffix = os.path.splitext(source)[1]
    compiler = builder.compiler("plain" if own is None else "allocsite", suffix)
    output = os.path.join(builder.work, "compiled.o")
    return [compiler, *(own or []), *FLAGS[suffix], *level.split(), "-c", source, "-o", output]


def run(command):
    process = subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        fail(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.path.getsize(command[-1]))


def instructions(command):
    """Counts with the processor's counters if available, else with valgrind."""
    perf = ["perf", "stat", "-x,", "-e", "instructions:u", "--", *command]
    if shutil.which("perf"):
        done = subprocess.run(perf, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
        match = re.search(r"^(\d+),", done.stderr, re.MULTILINE)
        if done.returncode == 0 and match:
            return int(match.group(1))
    return collected(command, {})[-1] if shutil.which("valgrind") else None


def compare(level, name, rounds, counts):
    plain, own = ([each[which] for each in rounds] for which in ("plain", name))
    return Compiling(level, name, counts[name] and counts[name] / counts["plain"],
                     statistics.median(one.cpu / base.cpu for one, base in zip(own, plain)),
                     min(one.cpu for one in own) / min(base.cpu for base in plain),
                     min(one.memory for one in own) / min(base.memory for base in plain),
                     own[0].size / plain[0].size)


def measure(builder, level, source, count):
    commands = {name: command(builder, own, level, source) for name, own in VARIANTS.items()}
    rounds = [{name: run(commands[name]) for name in rotated(list(commands), number)} for number in range(count)]
    counts = {name: instructions(commands[name]) for name in commands}
    return [compare(level, name, rounds, counts) for name in list(VARIANTS)[1:]]


def section(builder, arguments):
    rounds = 1 if arguments.quick else arguments.rounds or 15
    source = SMALL if arguments.quick else LARGE
    print(f"\nCompiling {os.path.basename(source)}, over plain clang: {rounds} rounds")
    print(f"  {'':18} {'instructions':>12} {'CPU median':>10} {'least':>6} {'memory':>6} {'object':>6}")
    results = []
    for level in LEVELS[:1] if arguments.quick else LEVELS:
        for result in measure(builder, level, source, rounds):
            results.append(result)
            counted = f"{result.instructions:.3f}" if result.instructions else "not counted"
            figure = result.instructions or result.median
            note = verdict(arguments, figure, "compiling") if result.variant == "both" else ""
            print(f"  {level:<7} {result.variant:<10} {counted:>12} {result.median:>10.3f} {result.least:>6.3f}"
                  f" {result.memory:>6.2f} {result.size:>6.2f}{note}", flush=True)
    return results
