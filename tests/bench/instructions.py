# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that allocsite adds to one allocation and its release, counted by callgrind.

A program with N and one with 2N pairs differ by N pairs and nothing else, so the figures do not depend on the
machine. They do depend on the compiler that built the runtime.
"""
import os
import re
import subprocess
from dataclasses import dataclass

from build import environment, fail

KINDS = {
    "malloc": "malloc + free",
    "calloc": "calloc + free",
    "realloc": "realloc of a block",
    "aligned_alloc": "aligned_alloc + free",
    "strdup": "strdup + free",
    "new": "new + delete",
    "new_sized": "new + sized delete",
    "new_array": "new[] + delete[]",
    "new_nothrow": "nothrow new + delete",
    "new_aligned": "aligned new + delete",
}
QUICK_KINDS = ["malloc", "new_sized"]

# As many digits in N as in 2N: the program reads the number.
PAIRS = 4000


@dataclass
class Kind:
    name: str
    plain: float
    sited: float    # added by a call that passes its site
    unsited: float  # added by a call that does not, in a process with the runtime
    off: float      # added by a call that passes its site, with enabled=0


def collected(command, variables):
    """Instructions of a whole run."""
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={os.devnull}"]
    done = subprocess.run(valgrind + command, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    match = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not match:
        fail(f"callgrind of {' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return int(match.group(1))


def per_pair(executable, kind, variables):
    once, twice = (collected([executable, kind, str(count)], variables) for count in (PAIRS, 2 * PAIRS))
    return (twice - once) / PAIRS


def measure(builder, quick):
    plain, counting = builder.pair("pairs.cpp")
    for kind in QUICK_KINDS if quick else KINDS:
        base = per_pair(plain, kind, environment())
        yield Kind(KINDS[kind], base,
                   per_pair(counting, kind, environment()) - base,
                   per_pair(plain, kind, environment(preload=builder.runtime)) - base,
                   per_pair(counting, kind, environment(options="enabled=0")) - base)


def measure_run(builder):
    """Instructions that a process takes besides its allocations: start, first use of two sites, report."""
    plain, counting = builder.pair("pairs.cpp")
    return collected([counting, "malloc", "1"], environment()) - collected([plain, "malloc", "1"], environment())
