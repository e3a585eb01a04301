#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""layers.py ROOT LAYERS: fails if an include points up or sideways across folders or to a forbidden part, or if more
than three files form a cycle. A source file and the header of the same name count as one file."""

import os
import re
import sys

LARGEST_CYCLE = 3
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include "([^"]+)"', re.M)


def read_layers(path):
    """Returns {folder: (part, layer)} and {part: folders of other parts}, with paths from the root."""
    ranks, outside = {}, {}
    for line in open(path):
        line = line.split("#")[0].strip()
        part, arrow, folders = line.partition(" -> ")
        if arrow:
            outside[part] = set(folders.split())
        elif line:
            part, _, folders = line.partition(":")
            for layer, folder in enumerate(folders.split()):
                ranks[os.path.normpath(os.path.join(part, folder))] = (part, layer)
    return ranks, outside


def sources(parts):
    for top in sorted({part.split("/")[0] for part in parts}):
        for folder, _, names in os.walk(top):
            yield from (os.path.join(folder, name) for name in names if re.search(r"\.(c|cpp|h|def)$", name))


def included(files, file):
    """Returns the project's files that it includes. Names are relative to plugin/ and rt/; plugin/ has precedence."""
    roots = ["plugin", "rt"] if file.startswith("plugin/") else ["rt"]
    for name in INCLUDE.findall(open(file, encoding="utf-8").read()):
        paths = [os.path.normpath(os.path.join(root, name)) for root in roots + [os.path.dirname(file)]]
        yield from [path for path in paths if path in files][:1]


def fault(ranks, outside, file, header):
    """Returns why the include is forbidden, or None."""
    here, there = os.path.dirname(file), os.path.dirname(header)
    if here not in ranks:
        return f"{here} is on no layer"
    part, layer = ranks[here]
    other, below = ranks.get(there, (None, None))
    if here == there or there in outside.get(part, ()):
        return None
    if other != part:
        return f"{part} may not include {there}"
    return None if below < layer else f"{there} is not below {here}"


def cycles(uses):
    """Returns the strongly connected components (Tarjan) of a graph {node: nodes}."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for used in sorted(uses.get(node, ())):
            if used not in number:
                visit(used)
            if used in stack:
                lowest[node] = min(lowest[node], lowest[used])
        if lowest[node] == number[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(uses):
        if node not in number:
            visit(node)
    return found


def main():
    ranks, outside = read_layers(sys.argv[2])
    os.chdir(sys.argv[1])
    files = set(sources({part for part, _ in ranks.values()}))
    complaints, uses = [], {}
    for file in sorted(files):
        for header in included(files, file):
            why = fault(ranks, outside, file, header)
            if why:
                complaints.append(f"{file} includes {header}: {why}")
            uses.setdefault(os.path.splitext(file)[0], set()).add(os.path.splitext(header)[0])
    for cycle in cycles(uses):
        if len(cycle) > LARGEST_CYCLE:
            complaints.append(f"cycle of {len(cycle)} files: {' '.join(cycle)}")
    print("\n".join(complaints) or f"{len(files)} files, every include points down")
    return 1 if complaints or not files else 0


sys.exit(main())
