#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# One process has one total: an executable, a shared object, a library that is opened with RTLD_LOCAL, closed and opened
# again; and an instrumented library in an uninstrumented program.
. "$(dirname "$0")/common.sh"

silent "$CC" -O2 -fPIC -shared "$here/part.c" -o libpart.so
silent "$CC" -O2 -fPIC -shared "$here/plugged.c" -o plugged.so
silent "$CC" -O2 "$here/opener.c" -L. -lpart -Wl,-rpath,. -o opener
counted ./opener "$here/opener.c" "$here/part.c" "$here/plugged.c"

# libc precedes the library's runtime in the loader's order, so only calls that pass a site are counted, and no frees. The
# report says so.
silent "$CLANG" -O2 "$here/part_user.c" -L. -lpart -Wl,-rpath,. -o user
counted ./user --gap='calls that pass a site are counted' --gap='frees that pass no site are not seen' "$here/part.c"
printf '#!/bin/sh\nLD_PRELOAD=%s exec ./user\n' "$lib/liballocsite.so" >preloaded
chmod +x preloaded
counted ./preloaded "$here/part.c"
