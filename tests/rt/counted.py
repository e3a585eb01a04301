# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose counts do not depend on options, and the instructions of tests/bench/programs/pairs.cpp."""
import re

from harness import HERE, expect, run

# Sources and options.
PROGRAMS = {"process/threads.cpp": (), "process/jumps.cpp": (), "process/plain.c": (), "process/replaced.cpp": (),
            "process/streams.cpp": (), "calls/library.c": ("-fallocsite-contexts=0",), "calls/tail.cpp": ("-fallocsite-contexts=0",),
            "calls/stale.cpp": ("-fallocsite-contexts=0",), "modules/standard.cpp": (),
            "custom/custom.c": (f"-I{HERE}/../../../rt/lib", f"-fallocsite-list={HERE}/../custom/list.txt")}
LINKS = (), ("-static",)
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
