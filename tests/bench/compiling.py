# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the plugins add to the compilation of a large C++ file: nlohmann/json's parser."""
import os
import statistics
import subprocess
from dataclasses import dataclass

from build import environment, fail
from goals import verdict

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "demo", "json_demo.cpp")
FLAGS = ["-std=c++17", "-O2", "-g", "-c", SOURCE, "-o", os.devnull]
VARIANTS = {"plain": None, "pass only": ["-fallocsite-types=0"], "both": []}


@dataclass
class Compiling:
    median: float  # CPU time over that of plain clang in the same round
    least: float  # ratio of the least CPU times
    seconds: float


def compile_time(command):
    """CPU time of the compiler and what it starts."""
    process = subprocess.Popen(command, env=environment(), stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        fail(f"{' '.join(command)}: exit status {status}")
    return usage.ru_utime + usage.ru_stime


def command(builder, own):
    if own is None:
        return [os.path.join(builder.clang_directory, "clang++"), *FLAGS]
    return [os.path.join(builder.bin, "allocsite-clang++"), *own, *FLAGS]


def section(builder, arguments):
    rounds = 1 if arguments.quick else arguments.rounds or 15
    times = {name: [] for name in VARIANTS}
    for number in range(rounds):
        names = list(VARIANTS)
        for name in names[number % len(names):] + names[:number % len(names)]:
            times[name].append(compile_time(command(builder, VARIANTS[name])))
    print(f"\nCPU time of compiling {os.path.basename(SOURCE)} at -O2 -g over plain clang's: {rounds} rounds")
    results = {}
    for name in list(VARIANTS)[1:]:
        ratios = [own / plain for own, plain in zip(times[name], times["plain"])]
        result = results[name] = Compiling(statistics.median(ratios), min(times[name]) / min(times["plain"]),
                                           statistics.median(times[name]))
        note = verdict(arguments, result.median, "compiling") if name == "both" else ""
        print(f"  {name:<10} median {result.median:.3f}, least {result.least:.3f}, {result.seconds:.2f} s{note}", flush=True)
    return results
