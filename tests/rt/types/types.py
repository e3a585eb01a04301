# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types: each block has the type of its own call, also if calls share a position, or if a function of another file allocates
it."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

TYPE = re.compile(r"= (\d+) ([\w ]+\w)")


def wanted(name):
    return {int(size): kind for size, kind in TYPE.findall(open(source(name)).read())}


def check_rows(what, name, report):
    have = collections.defaultdict(list)
    for row in rows(report):
        have[row["alloc_bytes"] + row["realloc_bytes"]].append((row["allocs"] + row["reallocs"], row["type"]))
    for size, kind in wanted(name).items():
        expect(f"{what}: block of {size}", [(1, kind)], have[size])


def check(name, *options):
    process = run([build(name, "types", *options)])
    check_behaviour(process)
    check_rows(options, name, report_of(process))


def macros():
    for options in (["-O0"], ["-O2"], ["-O2", "-g0"], ["-O2", "-fno-inline"]):
        check("types.c", *options)


def check_by_type(what, profile):
    """All blocks of each type, independent of the allocating lines."""
    want, have = collections.Counter(), collections.Counter()
    for size, kind in wanted("elsewhere.c").items():
        want[kind] += size
    for group in dumped("report", "--by=type", "--format=json", profile)["rows"]:
        have[group["type"]] += group["alloc_bytes"] + group["realloc_bytes"]
    expect(f"{what}: by type", dict(want), {kind: have[kind] for kind in want})


def check_graph(what, graph):
    """One block of each size."""
    dump = subprocess.run([os.path.join(BIN, "allocsite-dump"), "graph", "--dump", graph], capture_output=True, text=True, check=True)
    have = {int(size): kind for _, size, kind, *_ in map(lambda line: line.split("\t"), dump.stdout.splitlines())}
    want = {size: kind for size, kind in wanted("elsewhere.c").items() if " or " not in kind}
    expect(f"{what}: in the graph", want, {size: have.get(size) for size in want})


def elsewhere():
    for options in (["-O0"], ["-O2"], ["-O2", "-gline-tables-only"], ["-O1", "-gno-column-info"]):
        process = run([build("elsewhere.c", "elsewhere", source("elsewhere_util.c"), *options)],
                      "format=json:report=%e.%p.json:profile=elsewhere.profile:graph=elsewhere.graph")
        check_behaviour(process)
        check_rows(options, "elsewhere.c", report_of(process))
        check_by_type(options, "elsewhere.profile")
        check_graph(options, "elsewhere.graph")


main([macros, elsewhere])
