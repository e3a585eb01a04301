#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make.sh BIN: how the profiles here were made, by the version that wrote them; not to be run again.
set -eu
bin=$1
folder=$(cd "$(dirname "$0")" && pwd)
mkdir -p /tmp/x/g && cd /tmp/x/g
rm -f stacks.*.profile
cp "$folder/stacks.c" .
"$bin/allocsite-clang" -O1 -g stacks.c -o stacks
ALLOCSITE_OPTIONS=report=none:stack=4:pairs=1:profile=stacks.%p.profile ./stacks
set -- $(ls -tr stacks.*.profile)
cp "$1" "$folder/stacks.profile"
cp "$2" "$folder/child.profile"
ALLOCSITE_OPTIONS="report=none:stack=64:stack_sites='stacks.c:15':profile=selected.profile" ./stacks
cp selected.profile "$folder/selected.profile"
"$bin/allocsite-dump" merge -o "$folder/merged.profile" "$folder/stacks.profile" "$folder/child.profile"
cp "$folder/backing.c" .
"$bin/allocsite-clang" -O1 -g "-I$folder/../../../rt/lib" backing.c -o backing
ALLOCSITE_OPTIONS=report=none:stack=4:profile=backing.profile ./backing
cp backing.profile "$folder/backing.profile"
"$bin/allocsite-dump" merge -o "$folder/both.profile" "$folder/backing.profile" "$folder/stacks.profile"
