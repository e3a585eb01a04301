# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of the first use of a site: a program with the given number of sites calls each of them once, and again."""
import os
import statistics
from dataclasses import dataclass

from build import environment, run
from goals import verdict

PER_FUNCTION = 100

PROLOGUE = """#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static __attribute__((noinline)) void release(void *p) {
    __asm__ volatile("" : "+r"(p) : : "memory");
    free(p);
}
"""

EPILOGUE = """
static double pass(void) {
    struct timespec begin, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        functions[i]();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

int main(void) {
    double first = pass();
    double second = pass();
    printf("%f %f\\n", first, second);
}
"""


@dataclass
class Registration:
    sites: int
    first: float  # milliseconds of CPU time for the pass that registers all sites
    second: float

    @property
    def added(self):
        return self.first - self.second


def generate(path, sites):
    functions = sites // PER_FUNCTION
    with open(path, "w") as source:
        source.write(PROLOGUE)
        for function in range(functions):
            source.write(f"static void f{function}(void) {{\n" + "    release(malloc(16));\n" * PER_FUNCTION + "}\n")
        source.write("static void (*const functions[])(void) = {")
        source.writelines(f"f{function}, " for function in range(functions))
        source.write("};\n" + EPILOGUE)


def measure(builder, sites, runs):
    source = os.path.join(builder.work, "sites.c")
    generate(source, sites)
    _, counting = builder.pair(source)
    passes = [[float(time) for time in run([counting], environment()).split()] for _ in range(runs)]
    first, second = (statistics.median(times) for times in zip(*passes))
    return Registration(sites, first, second)


def section(builder, arguments):
    sites = 1000 if arguments.quick else 100000
    result = measure(builder, sites, 1 if arguments.quick else 9)
    print(f"\nFirst use of {sites:,} sites")
    print(f"  first pass, second pass   {result.first:.1f} ms, {result.second:.1f} ms of CPU time")
    print(f"  registration          {result.added:>8.1f} ms{verdict(arguments, result.added, 'registration', ' ms')}",
          flush=True)
    return {"sites": sites, "first_ms": result.first, "second_ms": result.second, "added_ms": result.added}
