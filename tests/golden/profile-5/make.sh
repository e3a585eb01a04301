#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make.sh BIN: how the profiles here were made, by the version that wrote them; not to be run again.
set -eu
bin=$1
folder=$(cd "$(dirname "$0")" && pwd)
mkdir -p /tmp/x/g && cd /tmp/x/g
rm -f rare.*.profile
cp "$folder/rare.c" .
"$bin/allocsite-clang" -O1 -g "-I$folder/../../../rt/lib" rare.c -o rare
ALLOCSITE_OPTIONS=report=none:temporary=1:repeats=1:profile=rare.%p.profile ./rare
set -- $(ls rare.*.profile)
cp "$1" "$folder/rare.profile"
cp "$2" "$folder/child.profile"
"$bin/allocsite-dump" merge -o "$folder/merged.profile" "$folder/rare.profile" "$folder/child.profile"
