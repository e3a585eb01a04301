# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds GNU binutils from the tarball of Debian's binutils-source, with any compiler."""
import os
import shutil

import real

CONFIGURE = ["--disable-nls", "--disable-werror", "--disable-shared", "--disable-plugins", "--disable-gdb",
             "--disable-gdbserver", "--disable-sim", "--disable-libdecnumber", "--disable-readline",
             "--disable-gold", "--disable-gprof", "--disable-gprofng", "CFLAGS=-O2 -w"]


def unpack(tarball, work):
    sources = os.path.join(work, "sources")
    if not os.path.exists(f"{sources}/configure"):
        os.makedirs(sources, exist_ok=True)
        real.run(["tar", "xf", tarball, "-C", sources, "--strip-components=1"])
    return sources


def build(sources, directory, compiler, parts, inputs):
    """Builds these parts (gas, binutils, ld), and rebuilds if one of the files `inputs` is newer."""
    stamp = os.path.join(directory, "built")
    if os.path.exists(stamp) and all(os.path.getmtime(stamp) > os.path.getmtime(path) for path in inputs):
        return
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    # Programs that run during the build must not write reports into its pipes.
    environment = dict(os.environ, ALLOCSITE_OPTIONS="enabled=0")
    log = os.path.join(directory, "build.log")
    without = [] if "ld" in parts else ["--disable-ld"]
    real.run([f"{sources}/configure", f"CC={compiler}", *without, *CONFIGURE], directory, environment, log)
    real.run(["make", "-j2", "MAKEINFO=true", *(f"all-{part}" for part in parts)], directory, environment, log)
    open(stamp, "w").close()


def libraries(bin):
    """Returns the files besides its sources that a build with the wrapper in `bin` depends on."""
    directory = os.path.join(os.path.dirname(bin), "lib")
    return [f"{directory}/allocsite.so", f"{directory}/liballocsite.so"]
