# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of allocsite for third-party programs: GNU binutils, and libraries at work.

A rule that does not know the cost selects them: a program is measured if its plain run is long enough to be timed and
allocates often enough for allocsite to matter. The others are listed with the reason. googletest's own programs run for
milliseconds, and its suite mostly waits."""
import sys

import binutils_programs
import libraries
from interleave import PLAIN, single
from times import allocations, measure_group

LEAST_SECONDS = 0.1  # of CPU time
LEAST_RATE = 100000  # allocations per second of CPU time
QUICK = 1  # program, one that builds quickly


def candidates(builder, quick):
    subjects, missing = libraries.candidates(builder, quick)
    if quick:
        return subjects[:QUICK], missing
    others, also_missing = binutils_programs.candidates(builder)
    return subjects + others, missing | also_missing


def prepare(builder, subjects, layouts):
    print(f"bench: libraries' programs: builds up to layout {layouts}", file=sys.stderr, flush=True)
    builder.prepare([subject.job.source for subject in subjects if subject.builder is builder], layouts)


def why_not(subject):
    """Returns why the rule excludes the program, or None."""
    seconds = min(single(subject.builder, subject.job, PLAIN).cpu for _ in range(3))
    if seconds < LEAST_SECONDS:
        return f"takes {seconds:.3f} s"
    rate = allocations(subject) / seconds
    return f"makes {rate:,.0f} allocations per second" if rate < LEAST_RATE else None


def select(builder, subjects):
    """Returns (selected subjects, reasons for the others)."""
    prepare(builder, subjects, 1)
    reasons = {subject.name: why_not(subject) for subject in subjects}
    selected = [subject for subject in subjects if not reasons[subject.name]]
    return selected, {name: reason for name, reason in reasons.items() if reason}


def print_left_out(left_out, missing):
    for name, reason in left_out.items():
        print(f"  {name}: left out, {reason}")
    for name, reason in missing.items():
        print(f"  {name}: NOT MEASURED, {reason}")
    print(f"  Every program that takes {LEAST_SECONDS:g} s and makes {LEAST_RATE:,} allocations per second; binutils"
          " in one layout, the others in four", flush=True)


def section(builder, arguments):
    subjects, missing = candidates(builder, arguments.quick)
    selected, left_out = (subjects, {}) if arguments.quick else select(builder, subjects)
    if not selected:
        print("\nReal programs: none to measure")
        print_left_out(left_out, missing)
        return None
    rounds = arguments.rounds or 12
    prepare(builder, selected, min(rounds, builder.layouts))
    group = measure_group("Real programs", selected, rounds, arguments)
    print_left_out(left_out, missing)
    return group
