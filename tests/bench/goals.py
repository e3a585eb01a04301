# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Upper limits for the results. They are printed with the results, and exceeding one is no failure."""

GOALS = {
    "wall": 1.06,          # geometric mean over the programs
    "wall alone": 1.02,    # the same with owners=0
    "program": 1.25,       # each program
    "instructions": 60,    # added to malloc + free
    "instructions alone": 25,
    "resident": 300,       # KiB added to a small program
    "heap of 32": 1.30,    # resident memory relative to the plain program
    "heap of 1024": 1.05,
    "scaling": 1.10,       # cost of a second thread, relative to its cost in the plain program
    "registration": 50,    # ms
    "compiling": 1.05,     # instructions of clang with both plugins, relative to plain clang
    "merging": 10,         # seconds
    "merging memory": 100, # MiB
}


def verdict(arguments, value, goal, unit=""):
    """Returns nothing for a quick run, because it measures nothing."""
    if arguments.quick:
        return ""
    return f"   goal: at most {GOALS[goal]:g}{unit}: {'met' if value <= GOALS[goal] else 'MISSED'}"
