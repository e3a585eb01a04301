# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of both plugins when compiling C++ files with the clang of each major: instructions, which do not depend on
the machine's load. Counting takes long."""
import glob
import os
import re
from dataclasses import dataclass

from build import FLAGS, SOURCES, run
from compiling import LARGE
from goals import verdict
from instructions import collected

GOOGLETEST = "/usr/src/googletest/googletest"
FILES = {
    os.path.join(SOURCES, "split.cpp"): [],
    LARGE: [],
    f"{GOOGLETEST}/src/gtest-all.cc": [f"-I{GOOGLETEST}", f"-I{GOOGLETEST}/include"],
}
QUICK_FILES = {os.path.join(SOURCES, "pairs.cpp"): []}
LEVELS = ["-O2 -g", "-O2"]


@dataclass
class Count:
    clang: str
    level: str
    file: str
    plain: int
    own: int


def drivers(builder):
    found = glob.glob(os.path.join(builder.bin, "allocsite-clang++-*"))
    return sorted(found, key=lambda path: int(path.rsplit("-", 1)[1]))


def plain(driver):
    version = run([driver, "--version"])
    return os.path.join(re.search(r"^InstalledDir: (.+)$", version, re.MULTILINE).group(1), "clang++")


def count(builder, driver, level, source, flags):
    output = os.path.join(builder.work, "compiled.o")
    arguments = [*FLAGS[".cpp"], *level.split(), *flags, "-c", source, "-o", output]
    return Count(f"clang {driver.rsplit('-', 1)[1]}", level, os.path.basename(source),
                 *(collected([compiler, *arguments], {})[-1] for compiler in (plain(driver), driver)))


def measure(builder, quick):
    files = QUICK_FILES if quick else FILES
    for driver in drivers(builder)[:1 if quick else None]:
        for level in LEVELS[:1 if quick else None]:
            for source, flags in files.items():
                if os.path.exists(source):
                    yield count(builder, driver, level, source, flags)
                else:
                    print(f"  there is no {source}")


def section(builder, arguments):
    print("\nCompiling with both plugins: instructions of plain clang, in millions, and the ratio to them")
    counts = []
    for found in measure(builder, arguments.quick):
        counts.append(found)
        ratio = found.own / found.plain
        print(f"  {found.clang:<8} {found.level:<6} {found.file:<14} {found.plain / 1e6:>9,.0f} {ratio:>6.3f}"
              f"{verdict(arguments, ratio, 'compiling')}", flush=True)
    return counts
