# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of tests/bench/programs/pairs.cpp."""
import re

from harness import expect, run

PAIRS = 1000


def instructions(program, kind, pairs, options):
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, kind, str(pairs)]
    process = run(command, options)
    expect(f"{kind}, status", 0, process.returncode)
    return int(re.search(r"I\s+refs:\s+([\d,]+)", process.err).group(1).replace(",", ""))


def per_pair(program, kind, options):
    """Returns the instructions of one pair, rounded to a tenth, because program starts differ by a few dozen
    instructions."""
    return round((instructions(program, kind, 2 * PAIRS, options) - instructions(program, kind, PAIRS, options)) / PAIRS, 1)
