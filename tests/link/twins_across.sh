#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A wrapper in a shared library takes the site that another module leaves, however the two are linked and whatever the name
# reaches.
. "$(dirname "$0")/common.sh"
. "$here/twin_user.sh"

# wrapper COMPILER OPTION...: libwrapper.so
wrapper() {
    silent "$@" -O2 -fPIC -shared "$here/twin_wrapper.c" -o libwrapper.so
}

# counts WHAT OPTION...: a program that is linked with the library.
counts() {
    what=$1
    shift
    silent "$CC" "$@" -L. -Wl,-rpath,. -lwrapper -o program
    (counted ./program "$here/twin_user.c") || fail "$what"
}

wrapper "$CC"
for linker in $linkers; do
    for mode in -fPIE '-fPIE -fno-plt' '-fPIE -Wl,-z,now' '-fPIE -fcf-protection=full' '-fPIE -ffunction-sections -Wl,--gc-sections'; do
        # shellcheck disable=SC2086
        user 0 $mode -Wno-unused-command-line-argument
        # shellcheck disable=SC2086
        counts "$linker $mode" -fuse-ld=$linker $mode user.o -Wno-unused-command-line-argument
    done
    # A library as well, though main is in it. It has no stand-in.
    user 1 -fPIC
    echo 'int started;' >empty.c
    silent "$CC" -shared -fuse-ld="$linker" user.o -L. -Wl,-rpath,. -lwrapper -o libuser.so
    counts "$linker, from a library" empty.c -Wl,--no-as-needed -luser
    user 0 -fno-pie
    counts "$linker -no-pie" -fuse-ld="$linker" -no-pie user.o
done

user 0 -fPIE
for other in "$bin"/allocsite-clang-*; do
    wrapper "$other"
    counts "$other" user.o
done

# What takes no site, or takes none of these types.
wrapper "$CLANG"
counts 'without the plugin' user.o
wrapper "$CC" '-DKIND=__attribute__((weak))'
counts weak user.o
silent "$CC" -O0 -fPIC -shared "$here/twin_wrapper.c" -o libwrapper.so
counts 'not optimized' user.o
silent "$CC" -O2 -fPIC -shared '-Dtwin_malloc(n)=twin_malloc(n, int unused)' "$here/twin_wrapper.c" -o libwrapper.so
counts 'of another type' user.o

# Who stands between is called each time: a library that is preloaded, and the function that the linker is told to take.
cat >between.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
static int calls;
void *NAME(size_t n) {
    calls++;
    return ((void *(*)(size_t))dlsym(RTLD_NEXT, "twin_malloc"))(n);
}
__attribute__((destructor)) static void check(void) {
    if (calls != 3)
        __builtin_trap();
}
C
wrapper "$CC"
silent "$CLANG" -O2 -fPIC -shared -DNAME=twin_malloc between.c -o libbetween.so
printf '#!/bin/sh\nLD_PRELOAD=./libbetween.so exec ./program\n' >preloaded
chmod +x preloaded
silent "$CC" user.o -L. -Wl,-rpath,. -lwrapper -o program
(counted ./preloaded "$here/twin_user.c") || fail preloaded
silent "$CLANG" -O2 -fPIC -c -DNAME=__wrap_twin_malloc between.c -o between.o
counts '--wrap' user.o between.o -Wl,--wrap=twin_malloc
