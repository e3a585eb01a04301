#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A wrapper in another file of the executable takes its site as a parameter, whichever way the files are compiled, packed and
# linked; one that may not is called by a stand-in. The same is counted, and no stand-in is a site.
. "$(dirname "$0")/common.sh"
. "$here/twin_user.sh"

# wrapper OPTION...: wrapper.o
wrapper() {
    silent "$CC" -O2 -g "$@" -c "$here/twin_wrapper.c" -o wrapper.o
}

# linked WHAT OPTION...: the program counts what it says, and its table agrees with its debug information.
linked() {
    what=$1
    shift
    silent "$CC" "$@" -o program
    (counted ./program "$here/twin_user.c") || fail "$what"
    python3 -B "$here/../dump/debug_info.py" "$CLANG" "$bin/allocsite-dump" program >&2 || fail "$what: debug information"
}

for linker in $linkers; do
    for mode in '-fno-pie -no-pie' '-fPIE -pie' '-ffunction-sections -Wl,--gc-sections' '-static' '-fno-plt' '-fno-integrated-as'; do
        # shellcheck disable=SC2086
        user 1 $mode -Wno-unused-command-line-argument
        # shellcheck disable=SC2086
        wrapper $mode -Wno-unused-command-line-argument
        # shellcheck disable=SC2086
        linked "$linker $mode" $mode -fuse-ld=$linker -Wno-unused-command-line-argument user.o wrapper.o
    done
    silent ar rcs "lib$linker.a" wrapper.o
    linked "$linker: archive" -fuse-ld=$linker user.o "lib$linker.a"
    silent "ld.$linker" -r wrapper.o user.o -o both.o
    linked "$linker: -r" -fuse-ld=$linker both.o
done

# Twins may be the same code, of which a linker leaves one; each wrapper keeps its site.
if command -v "ld.lld-$MAJOR" >/dev/null; then
    silent "$CC" -O2 -ffunction-sections -fuse-ld=lld -Wl,--icf=all "$here/twin_folded.c" -o folded
    counted ./folded "$here/twin_folded.c"
fi

# What is found in the link is not what will answer, or takes no site.
user 0
silent "$CLANG" -O2 -c "$here/twin_wrapper.c" -o wrapper.o
linked 'without the plugin' user.o wrapper.o
# In stacks it has the name of the wrapper.
user 0 -g0
silent "$CC" user.o wrapper.o -o program
ALLOCSITE_OPTIONS=report=none:stack=4:profile=profile ./program
"$bin/allocsite-dump" report --tree profile >tree
grep -q ' twin_malloc in .*program$' tree || { cat tree >&2; fail 'no frame of the stand-in'; }
user 0
wrapper -O0
linked 'not optimized' user.o wrapper.o
wrapper '-DKIND=__attribute__((weak))'
linked 'weak' user.o wrapper.o
silent "$CLANG" -O2 -c "$here/twin_wrapper.c" -o strong.o
linked 'weak beside a plain one' user.o wrapper.o strong.o

# Another LLVM spells the same names.
user 1
for other in "$bin"/allocsite-clang-*; do
    silent "$other" -O2 -g -c "$here/twin_wrapper.c" -o wrapper.o
    linked "$other" user.o wrapper.o
done

# Only the name is as if ld had been told to --wrap the wrapper.
echo 'void __real_twin_malloc(void) {}' >real.c
silent "$CLANG" -c real.c
wrapper
linked 'a function called __real_' user.o wrapper.o real.o

# What ld is told to call in place of a wrapper is called, from twins and stand-ins as well, however they are compiled.
cat >replacing.c <<'C'
#include <stddef.h>
int replaced;
void *__real_twin_malloc(size_t n);
void *__wrap_twin_malloc(size_t n) {
    replaced++;
    return __real_twin_malloc(n);
}
__attribute__((destructor)) static void check(void) {
    if (replaced != 3)
        __builtin_trap();
}
C
# replaced WHAT OPTION...
replaced() {
    what=$1
    shift
    silent "$CC" "$@" -Wl,--wrap=twin_malloc -o replaced
    ALLOCSITE_OPTIONS=report=none ./replaced || [ $? -eq 1 ] || fail "$what: not replaced"
}
for linker in $linkers; do
    for mode in '' -O0 '-fno-pie -no-pie' '-fno-plt' -flto; do
        for compiler in "$CLANG" "$CC"; do
            # shellcheck disable=SC2086
            silent "$compiler" -O2 $mode -c replacing.c -o replacing.o -Wno-unused-command-line-argument
            # shellcheck disable=SC2086
            user 0 $mode -Wno-unused-command-line-argument
            # shellcheck disable=SC2086
            wrapper $mode -Wno-unused-command-line-argument
            # shellcheck disable=SC2086
            replaced "$linker $mode $compiler" $mode -fuse-ld=$linker user.o wrapper.o replacing.o
        done
    done
    user 0 -fPIC
    wrapper -fPIC
    silent "$CC" -shared -fuse-ld="$linker" wrapper.o user.o replacing.c -fPIC -Wl,--wrap=twin_malloc -o libreplaced.so
    echo 'int started;' >started.c
    replaced "$linker -shared" started.c -L. -Wl,-rpath,. -Wl,--no-as-needed -lreplaced
done
# Who compiles without twins keeps the site.
user 0 -fallocsite-twins=0
wrapper
silent "$CC" user.o wrapper.o replacing.c -Wl,--wrap=twin_malloc -fallocsite-twins=0 -o replaced
counted ./replaced "$here/twin_user.c"
