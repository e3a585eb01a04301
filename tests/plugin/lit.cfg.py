# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each run of lit tests the plugin of one LLVM major: --param bin=DIR (that LLVM's programs), --param plugin=FILE,
# --param major=N, --param dump=FILE (allocsite-dump), --param types=FILE (the AST half, if it was built).
import os

import lit.formats

config.name = "allocsite plugin"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".c", ".cpp", ".ll"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["work"]

bin = lit_config.params["bin"]
plugin = lit_config.params["plugin"]
flags = "-g -fpass-plugin=" + plugin
# Disables calling contexts: their stores before calls would complicate most checks of IR.
sites_only = f"-fplugin={plugin} -mllvm -allocsite-contexts=0"
types = lit_config.params.get("types")
if types:
    config.available_features.add("types")
config.available_features.add("llvm-" + lit_config.params["major"])

# In this order: a longer name before its own prefix.
config.substitutions += [
    ("%irxx", f"{bin}/clang++ {flags} {sites_only} -S -emit-llvm -o -"),
    ("%ir", f"{bin}/clang {flags} {sites_only} -S -emit-llvm -o -"),
    ("%clangxx", f"{bin}/clang++ {flags}"),
    ("%clang", f"{bin}/clang {flags}"),
    ("%plugin", plugin),
    ("%typedxx", f"{bin}/clang++ {flags} -fplugin={types}"),
    ("%typed", f"{bin}/clang {flags} -fplugin={types}"),
    ("%plain", f"{bin}/clang"),
    ("%opt", f"{bin}/opt -load-pass-plugin={plugin} -S"),
    ("%dis", f"{bin}/llvm-dis"),
    ("%dump", lit_config.params["dump"]),
    ("%sites", f"python3 {config.test_source_root}/sites.py " + lit_config.params["dump"]),
    ("%functions", f"python3 {config.test_source_root}/sites.py " + lit_config.params["dump"] + " --functions"),
    ("%calls", f"python3 {config.test_source_root}/sites.py " + lit_config.params["dump"] + " --calls"),
    ("%check", f"{bin}/FileCheck %s"),
]
