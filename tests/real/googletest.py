# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""googletest's samples and its own test suite: googletest.py BIN SOURCES WORK (BIN has allocsite-clang++)."""
import glob
import os
import subprocess
import sys

import real

bin, sources, work = sys.argv[1:]
COMPILE = ["-O2", "-std=c++14", "-w", f"-I{sources}/include", f"-I{sources}", "-pthread"]
# Times have more digits in a slower run, and a longer string may need an allocation.
ARGUMENTS = ["--gtest_print_time=0"]
SUITE = "test/gtest_all_test.cc"
# It makes threads until it sees one end, so its allocations depend on the machine's load.
RACY = "GetThreadCountTest.*"
# These allocate strings with addresses, which are shorter under valgrind. The preloaded observer counts them instead.
NOT_UNDER_VALGRIND = "AssertionTest.*:ExpectTest.*:*DeathTest.*"
# Source files of a program other than gtest.
PARTS = {
    "sample1_unittest": ["samples/sample1.cc"],
    "sample2_unittest": ["samples/sample2.cc"],
    "sample4_unittest": ["samples/sample4.cc"],
    "sample5_unittest": ["samples/sample1.cc"],
}
OWN_MAIN = {"sample9_unittest", "sample10_unittest"}


def build(compiler, kind, *also):
    """Compiles gtest once and links each program to it, and to further sources. Returns paths by program name."""
    directory = os.path.join(work, kind)
    os.makedirs(directory, exist_ok=True)
    common = []
    for source in "src/gtest-all.cc", "src/gtest_main.cc":
        common.append(os.path.join(directory, os.path.basename(source) + ".o"))
        real.run([compiler, *COMPILE, "-c", f"{sources}/{source}", "-o", common[-1]], log=f"{directory}/build.log")
    programs = {}
    for source in sorted(glob.glob(f"{sources}/samples/*_unittest.cc")) + [f"{sources}/{SUITE}"]:
        name = os.path.basename(source)[:-len(".cc")]
        programs[name] = os.path.join(directory, name)
        parts = [f"{sources}/{part}" for part in PARTS.get(name, [])]
        gtest = common[:1] if name in OWN_MAIN else common
        real.run([compiler, *COMPILE, source, *parts, *also, *gtest, "-o", programs[name]], log=f"{directory}/build.log")
    return programs


def check():
    # Directories with names of equal length, because the programs copy argv[0].
    plain = build(subprocess.check_output([f"{bin}/allocsite-clang++", "-print-prog-name=clang++"], text=True).strip(),
                  "reference", os.path.join(os.path.dirname(os.path.abspath(__file__)), "tls.c"))
    instrumented = build(f"{bin}/allocsite-clang++", "allocsite")
    for name in plain:
        if name != "gtest_all_test":
            real.compare(name, plain[name], instrumented[name], ARGUMENTS, work)
            yield
    suite = "gtest_all_test", plain["gtest_all_test"], instrumented["gtest_all_test"]
    real.compare(*suite, ARGUMENTS + [f"--gtest_filter=-{RACY}:{NOT_UNDER_VALGRIND}"], work)
    yield
    real.compare(*suite, ARGUMENTS + [f"--gtest_filter=-{RACY}"], work, real.observer_usage)
    yield


real.main(check)
