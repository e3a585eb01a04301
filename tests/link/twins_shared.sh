#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Wrappers in shared libraries: the same is counted however the library is linked, and whoever replaces the wrapper is called,
# as ever.
. "$(dirname "$0")/common.sh"

# The program's part in it is in the library, with main.
echo 'int started;' >empty.c
silent "$CLANG" -c empty.c -o empty.o
printf '{ global: main; local: *; };\n' >main.map

# objects DIRECT OPTION...: user.o, wrapper.o, and both of them in one file.
objects() {
    direct=$1
    shift
    silent "$CC" -O2 -g -fPIC -DDIRECT="$direct" "$@" -c "$here/twin_user.c" -o user.o
    silent "$CC" -O2 -g -fPIC "$@" -c "$here/twin_wrapper.c" -o wrapper.o
    printf '#include "%s"\n' twin_user.c twin_wrapper.c >both.c
    silent "$CC" -O2 -g -fPIC -DDIRECT="$direct" -I"$here" "$@" -c both.c -o both.o
}

# library OPTION...: libuser.so
library() {
    silent "$CC" -shared "$@" -o libuser.so
}

# program NAME FILE...: beside the library.
program() {
    name=$1
    shift
    silent "$CC" "$@" -L. -Wl,--no-as-needed,-rpath,. -luser -o "$name"
}

# counts WHAT PROGRAM
counts() {
    (counted "$2" "$here/twin_user.c") || fail "$1"
}

for linker in $linkers; do
    for mode in '' '-Wl,-z,now' '-Wl,-Bsymbolic' '-Wl,--version-script=main.map' '-fno-plt' '-ffunction-sections -Wl,--gc-sections'; do
        # shellcheck disable=SC2086
        objects 1 $mode -Wno-unused-command-line-argument
        for parts in 'user.o wrapper.o' both.o; do
            # shellcheck disable=SC2086
            library -fuse-ld=$linker $mode $parts -Wno-unused-command-line-argument
            program program empty.o
            counts "$linker $mode $parts" ./program
            # They may stand in an executable as well.
            silent "$CC" -fuse-ld=$linker $parts -o program
            counts "$linker: $parts in an executable" ./program
        done
    done
done

# Others answer for the wrapper: a program, which was compiled with the plugin or without, and a preloaded library. They do not
# say who called.
cat >replacing.c <<'C'
#include <stdlib.h>
static int replaced;
__attribute__((noinline)) void *twin_malloc(size_t n) {
    replaced = 1;
    return malloc(n);
}
__attribute__((destructor)) static void check(void) {
    if (!replaced)
        __builtin_trap();
}
C
silent "$CC" -O2 -fPIC -c replacing.c -o replacing.o
silent "$CLANG" -O2 -fPIC -c replacing.c -o plain.o
silent "$CLANG" -shared plain.o -o libreplacing.so
printf '#!/bin/sh\nLD_PRELOAD=./libreplacing.so exec ./program\n' >preloaded
chmod +x preloaded
objects 0
for parts in 'user.o wrapper.o' both.o; do
    # shellcheck disable=SC2086
    library $parts
    for other in replacing.o plain.o; do
        program program $other
        counts "$parts with $other" ./program
    done
    program program empty.o
    counts "$parts, preloaded" ./preloaded
done
