#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A wrapper in a shared library takes its site as a parameter from other modules, from the second call on, if it is what the
# call by name has reached.
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

printf 'void *twin_malloc(unsigned long);\nvoid *(*taken)(unsigned long) = twin_malloc;\n' >taken.c
silent "$CLANG" -fno-pie -c taken.c -o taken.o
wrapper "$CC"
for linker in $linkers; do
    for mode in -fPIE '-fPIE -fno-plt' '-fPIE -Wl,-z,now' '-fPIE -fcf-protection=full' '-fPIE -ffunction-sections -Wl,--gc-sections'; do
        # shellcheck disable=SC2086
        user 1 $mode -Wno-unused-command-line-argument
        # shellcheck disable=SC2086
        counts "$linker $mode" -fuse-ld=$linker $mode user.o -Wno-unused-command-line-argument
    done
    # A library as well, though main is in it.
    user 1 -fPIC
    echo 'int started;' >empty.c
    silent "$CC" -shared -fuse-ld="$linker" user.o -L. -Wl,-rpath,. -lwrapper -o libuser.so
    counts "$linker, from a library" empty.c -Wl,--no-as-needed -luser
    # At a fixed address, where the wrapper's is not asked for, and where it is.
    user 1 -fno-pie
    counts "$linker -no-pie" -fuse-ld="$linker" -no-pie user.o
    readelf -W --dyn-syms program | grep -q ': 0* .* UND twin_malloc' || fail "$linker: the function is in the program"
    counts "$linker -no-pie, address" -fuse-ld="$linker" -no-pie user.o taken.o
done

user 1 -fPIE
for other in "$bin"/allocsite-clang-*; do
    wrapper "$other"
    counts "$other" user.o
done

# What has no twin.
user 0 -fPIE
wrapper "$CLANG"
counts 'without the plugin' user.o
wrapper "$CC" '-DKIND=__attribute__((weak))'
counts weak user.o
silent "$CC" -O0 -fPIC -shared "$here/twin_wrapper.c" -o libwrapper.so
counts 'not optimized' user.o
silent "$CC" -O2 -fPIC -shared '-Dtwin_malloc(n)=twin_malloc(n, int unused)' "$here/twin_wrapper.c" -o libwrapper.so
counts 'of another type' user.o

# Who stands between is called each time: a library that is preloaded, the function that the linker is told to take, and one that
# chooses anew each time.
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
user 0 -fPIE
silent "$CC" user.o -L. -Wl,-rpath,. -lwrapper -o program
(counted ./preloaded "$here/twin_user.c") || fail preloaded
silent "$CLANG" -O2 -fPIC -c -DNAME=__wrap_twin_malloc between.c -o between.o
counts '--wrap' user.o between.o -Wl,--wrap=twin_malloc

cat >choosing.c <<'C'
#include <stdlib.h>
__attribute__((malloc)) void *twin_malloc(size_t n);
void *lib_malloc(size_t n);
extern void *(*chosen)(size_t);
extern int calls;
void *other(size_t n);
int main(void) {
    for (int i = 0; i < 3; i++) {
        chosen = i < 2 ? lib_malloc : other;
        void *volatile block = twin_malloc(10); // SITE 3 30
        free(block);
    }
    return calls != 1;
}
C
cat >chosen.c <<'C'
#include <stdlib.h>
void *lib_malloc(size_t n);
void *(*chosen)(size_t) = lib_malloc;
int calls;
void *other(size_t n) {
    calls++;
    return malloc(n);
}
__asm__(".globl twin_malloc\n.type twin_malloc, @function\ntwin_malloc: jmp *chosen(%rip)\n.skip 16, 0x90");
C
wrapper "$CC" -Dtwin_malloc=lib_malloc
silent "$CC" -O2 -g -fPIE -c choosing.c -o choosing.o
silent "$CLANG" -O2 -fPIE -c chosen.c -o chosen.o
silent "$CC" choosing.o chosen.o -L. -Wl,-rpath,. -lwrapper -o chosen
counted ./chosen choosing.c
