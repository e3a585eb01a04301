#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clang --config allocsite.cfg: compile and link, in one call and separately, without a warning.
. "$(dirname "$0")/common.sh"

config=$lib/allocsite/llvm-$MAJOR/allocsite.cfg
silent "$CLANG" --config "$config" -Werror -O2 "$here/app.c" -o app
counted ./app "$here/app.c"
silent "$CLANG" --config "$config" -Werror -O2 -g -c "$here/app.c" -o app.o
silent "$CLANG" --config "$config" -Werror app.o -o app
counted ./app "$here/app.c"
silent "$CLANGXX" --config "$config" -Werror -O2 "$here/app.cpp" -o app++
counted ./app++ "$here/app.cpp"
silent "$CLANG" --config "$config" -Werror -fsyntax-only "$here/app.c"
"$CLANG" --config "$config" --version >/dev/null

# lib/allocsite.cfg is for the default major.
default=$(sed -n 's/.*Serves clang \([0-9]*\) only.*/\1/p' "$lib/allocsite.cfg")
if [ "$default" = "$MAJOR" ]; then
    silent "$CLANG" --config "$lib/allocsite.cfg" -Werror -O2 "$here/app.c" -o app
    counted ./app "$here/app.c"
fi
