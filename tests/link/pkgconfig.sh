#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# pkg-config: flags for clang of the default major, shared and static.
. "$(dirname "$0")/common.sh"

export PKG_CONFIG_PATH="$lib/pkgconfig"
default=$(pkg-config --variable=llvm_major allocsite)
[ "$default" = "$MAJOR" ] || exit 77

# shellcheck disable=SC2046
{
    silent "$CLANG" -Werror -O2 -c "$here/app.c" -o app.o $(pkg-config --cflags allocsite)
    silent "$CLANG" -Werror app.o -o app $(pkg-config --libs allocsite)
    counted ./app "$here/app.c"
    silent "$CLANG" -static app.o -o fixed $(pkg-config --static --libs allocsite)
    counted ./fixed "$here/app.c"
}
