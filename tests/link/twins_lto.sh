#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Twins and stand-ins in LTO, and beside it.
. "$(dirname "$0")/common.sh"

command -v "ld.lld-$MAJOR" >/dev/null || exit 77

# linked USER FILE...: with the LTO that the user was compiled for.
linked() {
    flavour=$1
    shift
    # shellcheck disable=SC2086
    silent "$CC" -O2 $flavour -fuse-ld=lld "$@" -o program
    (counted ./program "$here/twin_user.c") || fail "'$flavour' and '$wrapper': $*"
}

for user in '' -flto -flto=thin; do
    # shellcheck disable=SC2086
    silent "$CC" -O2 $user -DDIRECT=1 -c "$here/twin_user.c" -o user.o
    # LTO can do without the detour by inlining the stand-in.
    # shellcheck disable=SC2086
    silent "$CC" -O2 $user -c "$here/twin_user.c" -o any.o
    for wrapper in '' -flto -flto=thin; do
        # shellcheck disable=SC2086
        silent "$CC" -O2 $wrapper -c "$here/twin_wrapper.c" -o wrapper.o
        # shellcheck disable=SC2086
        silent "$CLANG" -O2 $wrapper -c "$here/twin_wrapper.c" -o plain.o
        linked "$user" user.o wrapper.o
        linked "$user" wrapper.o user.o
        linked "$user" any.o plain.o
        linked "$user" plain.o any.o
    done
done
