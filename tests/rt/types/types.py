# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types: each block has the type of its own call, also if calls share a position."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from harness import *

TYPE = re.compile(r"= (\d+) ([\w ]+\w)")


def check(*options):
    wanted = {int(size): kind for size, kind in TYPE.findall(open(source("types.c")).read())}
    process = run([build("types.c", "types", *options)])
    check_behaviour(process)
    have = collections.defaultdict(list)
    for row in rows(report_of(process)):
        if row["alloc_bytes"] in wanted:
            have[row["alloc_bytes"]].append((row["allocs"], row["type"]))
    for size, kind in wanted.items():
        expect(f"{options}: block of {size}", [(1, kind)], have[size])


def macros():
    for options in (["-O0"], ["-O2"], ["-O2", "-g0"], ["-O2", "-fno-inline"]):
        check(*options)


main([macros])
