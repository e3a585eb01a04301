# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One run of lit tests the plugin of one LLVM major: --param bin=DIR (that LLVM's programs), --param plugin=FILE,
# --param dump=FILE (allocsite-dump).
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

# In order: a longer name before the one that it begins with.
config.substitutions += [
    ("%irxx", f"{bin}/clang++ {flags} -S -emit-llvm -o -"),
    ("%ir", f"{bin}/clang {flags} -S -emit-llvm -o -"),
    ("%clangxx", f"{bin}/clang++ {flags}"),
    ("%clang", f"{bin}/clang {flags}"),
    ("%plain", f"{bin}/clang"),
    ("%opt", f"{bin}/opt -load-pass-plugin={plugin} -S"),
    ("%dis", f"{bin}/llvm-dis"),
    ("%sites", lit_config.params["dump"] + " sites"),
    ("%check", f"{bin}/FileCheck %s"),
]
