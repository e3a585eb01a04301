# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the figures should be at most: printed beside them, never a reason to fail."""

GOALS = {
    "wall": 1.06,          # geometric mean over the programs
    "wall alone": 1.02,    # the same with owners=0
    "program": 1.25,       # each of them
    "instructions": 60,    # added to malloc + free
    "instructions alone": 25,
    "resident": 300,       # KiB added to a small program
    "heap of 32": 1.30,    # resident memory over that of the plain program
    "heap of 1024": 1.05,
    "scaling": 1.10,       # what a second thread costs, over what it costs the plain program
    "registration": 50,    # ms
    "compiling": 1.05,     # instructions of clang with both plugins
    "merging": 10,         # seconds
    "merging memory": 100, # MiB
}


def verdict(arguments, value, goal, unit=""):
    """A quick run measures nothing."""
    if arguments.quick:
        return ""
    return f"   goal: at most {GOALS[goal]:g}{unit}: {'met' if value <= GOALS[goal] else 'MISSED'}"
