# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the site table of an object, one site per line: location, callee, function, type; its callers below. With
--functions: pass-through functions and library files, except system headers, with flags, symbol, file, symbol depended
on."""
import json
import subprocess
import sys


def place(at):
    text = at["file"] or "?"
    for number in ("line", "column"):
        if not at[number]:
            break
        text += f":{at[number]}"
    return text


def show(table):
    for site in table["sites"]:
        kind = f"  type {site['type']}" if site["type"] else ""
        print(f"{place(site)}  {site['callee']}  {site['function']}{kind}")
        for caller in site["inlined"]:
            print(f"    inlined into {caller['function']} at {place(caller)}")
    files = len({site["file"] for site in table["sites"]})
    functions = len({(site["function"], site["file"]) for site in table["sites"]})
    for count, what, end in ((len(table["sites"]), "site", " in "), (functions, "function", ", "), (files, "file", "\n")):
        print(f"{count} {what}{'' if count == 1 else 's'}", end=end)


def show_functions(table):
    for function in table["functions"]:
        file, symbol = function["file"] or "?", function["symbol"] or "*"
        if file.startswith("/usr/"):
            continue
        flags = ",".join(flag for flag in ("passes_through", "declared", "library") if function[flag])
        depends = f"  depends on {function['depends']}" if function["depends"] else ""
        print(f"{flags}  {symbol}  {file.rsplit('/', 1)[-1]}{depends}")


def show_calls(table):
    for call in table["calls"]:
        print(f"{place(call)}  {call['function']}  {call['type']}{'  hands on' if call['hands_on'] else ''}")


for word, shows in (("--functions", show_functions), ("--calls", show_calls)):
    if word in sys.argv:
        show = shows
        sys.argv.remove(word)
if "--format=json" in sys.argv:
    sys.exit(subprocess.run([sys.argv[1], "sites", *sys.argv[2:]]).returncode)
run = subprocess.run([sys.argv[1], "sites", "--format=json", *sys.argv[2:]], stdout=subprocess.PIPE, text=True)
for line in run.stdout.splitlines():
    show(json.loads(line))
sys.exit(run.returncode)
