#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# -static and -static-pie, C and C++, each linker: same counts without a dynamic loader.
. "$(dirname "$0")/common.sh"

# The other linkers do not depend on the LLVM major.
[ "$MAJOR" = "$DEFAULT" ] || linkers=$(echo "$linkers" | grep -ow lld) || exit 77

for linker in $linkers; do
    modes='-static -static-pie'
    # gold does not know an option that clang passes for -static-pie.
    [ $linker = gold ] && modes=-static
    for mode in $modes; do
        for optimise in -O0 -O2; do
            silent "$CC" $optimise $mode -fuse-ld=$linker "$here/app.c" -o app
            counted ./app "$here/app.c"
            silent "$CXX" $optimise $mode -fuse-ld=$linker "$here/app.cpp" -o app++
            counted ./app++ "$here/app.cpp"
        done
    done
    # A program in which only libraries allocate.
    echo '#include <iostream>
int main() { std::cout << std::string(100, 0).size(); }' >quiet.cpp
    silent "$CXX" -static -fuse-ld=$linker quiet.cpp -o quiet
    ALLOCSITE_OPTIONS=report=none ./quiet | grep -qx 100 || fail "$linker: a quiet program"
done

# The archive defines exactly the functions that the options wrap.
nm -g --defined-only "$lib/liballocsite.a" 2>/dev/null | sed -n 's/.* T __wrap_//p' | sort -u >defined
sed -n 's/^-Wl,--wrap=//p' "$lib/allocsite/static.opts" | sort -u >redirected
diff -u redirected defined || fail 'static.opts and liballocsite.a disagree'
