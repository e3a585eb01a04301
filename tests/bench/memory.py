# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resident memory that allocsite adds to a small program, and to each further thread of it."""
import re
import statistics
from dataclasses import dataclass

from build import environment, run

THREADS = 33


@dataclass
class Memory:
    """In KiB. Resident counts the pages of the runtime's file too, which processes share."""
    resident: float
    private: float
    thread: float  # private, for each thread besides the first


def rollup(executable, threads):
    text = run([executable, str(threads)], environment())
    field = {name: int(size) for name, size in re.findall(r"^(\w+): +(\d+) kB$", text, re.MULTILINE)}
    return field["Rss"], field["Private_Clean"] + field["Private_Dirty"]


def added(executables, threads, runs):
    """Medians of (resident, private) that the second executable has more than the first."""
    plain, counting = ([rollup(executable, threads) for _ in range(runs)] for executable in executables)
    return [statistics.median(left) - statistics.median(right) for left, right in zip(zip(*counting), zip(*plain))]


def measure(builder, runs):
    executables = builder.pair("resident.c")
    resident, private = added(executables, 1, runs)
    _, many = added(executables, THREADS, runs)
    return Memory(resident, private, (many - private) / (THREADS - 1))
