# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a module's site table with its debug information.

The observers are objdump and llvm-symbolizer. A site agrees if a call in one of the functions that refer to a site has
its source location and inline chain.

Usage: debug_info.py CLANG DUMP ELF prints the sites that disagree, and fails if there are any."""
import functools
import json
import os
import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t([^#<]*)(?:<[^>]*>)?(?:# ([0-9a-f]+))?")


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def table_place(path):
    """Returns the section's addresses, and its offset in the file."""
    for line in output("readelf", "-SW", path).splitlines():
        words = line.replace("[ ", "[").split()
        if len(words) > 5 and words[1] == "allocsite_sites":
            address, offset, size = (int(word, 16) for word in words[3:6])
            return range(address, address + size), offset
    raise AssertionError(f"{path}: no site table")


def functions(path):
    """Returns for each function the addresses of its calls and jumps, which may be tail calls, and of the sites that its
    instructions refer to."""
    table, found = table_place(path)[0], [([], [])]
    for line in output("objdump", "-d", "--no-show-raw-insn", path).splitlines():
        match = INSTRUCTION.match(line)
        if not match:
            found.append(([], []))
            continue
        address, operands, target = match.groups()
        values = [int(value, 16) for value in re.findall(r"\$0x([0-9a-f]+)", operands)] + [int(target or "0", 16)]
        if operands.startswith(("call", "jmp")):
            found[-1][0].append(address)
        found[-1][1].extend(value for value in values if value in table)
    return found


def calls(path):
    """Returns the addresses of the calls in functions that refer to a site."""
    return [address for addresses, sites in functions(path) if sites for address in addresses]


def called(path):
    """Returns the ids of the sites that instructions refer to; a descriptor begins with its id."""
    table, offset = table_place(path)
    with open(path, "rb") as file:
        contents = file.read()
    places = {offset + site - table.start for _, sites in functions(path) for site in sites}
    return {f"{int.from_bytes(contents[place:place + 8], 'little'):016x}" for place in places}


@functools.cache
def last_part(function):
    """Returns the function's name without scopes, arguments and parameters, which tools print differently."""
    function = function.replace("(anonymous namespace)", "anonymous")
    while True:
        shorter = re.sub(r"(?<!operator)(?<!operator<)<(?:[^<>()]|->)*>|(?<!operator)\([^()]*\)", "", function)
        if shorter == function:
            name = re.sub(r"operator |\[abi:.*|( const)?\s*(\[clone.*)?$", "", function)
            return (name.split("::")[-1].split() or [""])[-1]
        function = shorter


def chains(path, clang):
    """Returns the chains of the calls, innermost location first."""
    symbolizer = os.path.join(os.path.dirname(os.path.realpath(clang)), "llvm-symbolizer")
    addresses = "".join(f"0x{address}\n" for address in calls(path))
    places = output(symbolizer, "--output-style=LLVM", "--functions=linkage", "--inlines", "--demangle", "--obj=" + path,
                    input=addresses)
    for block in output("c++filt", input=places).split("\n\n"):
        lines = block.splitlines()
        yield [(last_part(function), *place.rsplit(":", 2)) for function, place in zip(lines[::2], lines[1::2])]


def is_place(place, seen):
    """Tables name files as the compiler does, symbolizers by absolute paths."""
    function, file, line, column = seen
    return (last_part(place["function"]), str(place["line"]), str(place["column"])) == (function, line, column) and \
        ("/" + os.path.normpath(file)).endswith("/" + os.path.normpath(place["file"]).lstrip("/"))


def disagreeing(sites, chains, is_inlined_later=False):
    """Returns the sites that match no chain. A match may start within a chain: if a wrapper is inlined, the site is the
    call. is_inlined_later: a link may have inlined the functions of sites again."""
    seen = {}
    for chain in chains:
        for i, place in enumerate(chain):
            seen.setdefault(place[2:], []).append(chain[i:])

    def agrees(site):
        places = [site, *site["inlined"]]
        return any((len(places) == len(chain) or (is_inlined_later and len(places) < len(chain)))
                   and all(map(is_place, places, chain))
                   for chain in seen.get((str(site["line"]), str(site["column"])), []))
    return [site for site in sites if not agrees(site)]


if __name__ == "__main__":
    clang, dump, path = sys.argv[1:]
    table = json.loads(output(dump, "sites", "--format=json", path))["sites"]
    wrong = disagreeing(table, chains(path, clang))
    for site in wrong:
        print("disagrees:", json.dumps(site))
    sys.exit(not table or bool(wrong))
