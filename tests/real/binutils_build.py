# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds GNU binutils from the tarball of Debian's binutils-source, with any compiler."""
import glob
import os
import shutil

import real

CONFIGURE = ["--disable-nls", "--disable-werror", "--disable-shared", "--disable-plugins", "--disable-gdb",
             "--disable-gdbserver", "--disable-sim", "--disable-libdecnumber", "--disable-readline",
             "--disable-gold", "--disable-gprof", "--disable-gprofng", "--disable-libctf", "CFLAGS=-O2 -w"]
PRODUCTS = "*.o", "*.lo", "*.a", "*.la"


def unpack(tarball, work):
    sources = os.path.join(work, "sources")
    if not os.path.exists(f"{sources}/configure"):
        os.makedirs(sources, exist_ok=True)
        real.run(["tar", "xf", tarball, "-C", sources, "--strip-components=1"])
    return sources


def make(directory, compiler, *targets):
    # Programs that run during the build must not write reports into its pipes.
    environment = dict(os.environ, ALLOCSITE_OPTIONS="enabled=0")
    real.run(["make", "-j2", "MAKEINFO=true", f"CC={compiler}", *targets], directory, environment, f"{directory}/build.log")


def configured(sources, work, compiler, parts):
    """Returns a configured tree without objects. Its results hold for each compiler that is a wrapper of this one, and
    the scripts of all parts take longer than a build."""
    directory = os.path.join(work, "configured")
    stamp = os.path.join(directory, "configured")
    if not os.path.exists(stamp):
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        without = [] if "ld" in parts else ["--disable-ld"]
        real.run([f"{sources}/configure", f"CC={compiler}", *without, *CONFIGURE], directory, log=f"{directory}/build.log")
        make(directory, compiler, "configure-host")
        for pattern in PRODUCTS:
            for path in glob.glob(f"{directory}/**/{pattern}", recursive=True):
                os.remove(path)
        open(stamp, "w").close()
    return directory


def build(tree, directory, compiler, parts, inputs):
    """Builds these parts (gas, binutils, ld) in a copy of a configured tree, and again if one of the files `inputs` is
    newer."""
    stamp = os.path.join(directory, "built")
    if os.path.exists(stamp) and all(os.path.getmtime(stamp) > os.path.getmtime(path) for path in inputs):
        return
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(tree, directory, symlinks=True)
    make(directory, compiler, *(f"all-{part}" for part in parts))
    open(stamp, "w").close()


def libraries(bin):
    """Returns the files besides its sources that a build with the wrapper in `bin` depends on."""
    directory = os.path.join(os.path.dirname(bin), "lib")
    return [f"{directory}/allocsite.so", f"{directory}/liballocsite.so"]
