# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that allocsite adds to one allocation and its free, counted by valgrind.

The same program runs with N and with 2N pairs, and the difference is N pairs. The results do not depend on the machine,
but on the compiler of the runtime."""
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from build import environment, fail
from goals import verdict
from interleave import PLAIN, Variant
from times import ALONE, COUNTING, OFF, SWITCHES

KINDS = {
    "malloc": "malloc + free",
    "malloc_large": "same, 600 bytes",
    "malloc_40000": "same, 40,000 bytes",
    "calloc": "calloc + free",
    "realloc": "realloc of a block",
    "aligned_alloc": "aligned_alloc + free",
    "strdup": "strdup + free",
    "new": "new + delete",
    "new_sized": "new + sized delete",
    "new_array": "new[] + delete[]",
    "new_nothrow": "nothrow new + delete",
    "new_aligned": "aligned new + delete",
    "grow": "malloc, each a peak",
    "grow_new": "new, each a peak",
    "shrink": "free of a large heap",
}
QUICK_KINDS = ["malloc"]

# N and 2N have equally many digits, because the program parses the number.
PAIRS = 4000


@dataclass
class Kind:
    name: str
    plain: float
    added: dict[str, float]  # by variant


def collected(command, variables):
    """Returns the instructions of each program that a command runs, its own last. The runtime starts a program for the
    report."""
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes",
                f"--cachegrind-out-file={os.devnull}"]
    done = subprocess.run(valgrind + command, env=environment(variables), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    found = re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)
    if done.returncode != 0 or not found:
        fail(f"cachegrind of {' '.join(command)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return [int(count.replace(",", "")) for count in found]


def per_pair(builder, variant, kind):
    once, twice = (collected(variant.command(builder, "pairs.cpp", [kind, str(count)]), variant.variables)[-1]
                   for count in (PAIRS, 2 * PAIRS))
    # The report contains times, and printing their digits costs some instructions.
    return round((twice - once) / PAIRS, 1)


def variants(builder, switches):
    """Returns variants: a call that passes its site, one that does not in a process with the runtime, and the first one
    with switches."""
    others = [switch for switch in SWITCHES if switch is not OFF]
    return [COUNTING, Variant("unsited", "plain", {"LD_PRELOAD": builder.runtime}), OFF, ALONE] + (others if switches else [])


def measure(builder, chosen, quick):
    for kind in QUICK_KINDS if quick else KINDS:
        base = per_pair(builder, PLAIN, kind)
        yield Kind(KINDS[kind], base, {variant.name: per_pair(builder, variant, kind) - base for variant in chosen})


def measure_run(builder):
    """Counts the instructions of a process other than its allocations: start, first use of two sites, report."""
    plain, counting = (sum(collected(variant.command(builder, "pairs.cpp", ["malloc", "1"]), {}))
                       for variant in (PLAIN, COUNTING))
    return counting - plain


def section(builder, arguments):
    if not shutil.which("valgrind"):
        print("\nInstructions per pair: not counted, valgrind is not installed")
        return {"missing": "valgrind is not installed"}
    chosen = variants(builder, arguments.switches)
    print("\nInstructions per pair, exact (valgrind), and what is added")
    print(f"  {'':22} {'plain':>8}" + "".join(f" {variant.name:>10}" for variant in chosen))
    kinds = []
    for kind in measure(builder, chosen, arguments.quick):
        kinds.append(kind)
        added = "".join(f" {kind.added[variant.name]:>10.1f}" for variant in chosen)
        is_goal = kind.name == KINDS["malloc"]
        goal = (verdict(arguments, kind.added[COUNTING.name], "instructions")
                + verdict(arguments, kind.added[ALONE.name], "instructions alone", f" ({ALONE.name})")) if is_goal else ""
        print(f"  {kind.name:<22} {kind.plain:>8.1f}{added}{goal}", flush=True)
    process = measure_run(builder)
    print(f"  start, first use of 2 sites and report of a process: {process:,}")
    return {"kinds": kinds, "process": process}
