#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make.sh BIN: how the profiles here were made, by the version that wrote them; not to be run again.
set -u
bin=$1
folder=$(cd "$(dirname "$0")" && pwd)
mkdir -p /tmp/x/g && cd /tmp/x/g
rm -f forked.*profile*
cp "$folder/forked.c" .
"$bin/allocsite-clang" -O1 -g forked.c -o forked
ALLOCSITE_OPTIONS=report=none:profile=forked.profile ./forked some arguments
cp forked.profile "$folder/forked.profile"
cp forked.profile.* "$folder/child.profile"
"$bin/allocsite-dump" merge -o "$folder/merged.profile" "$folder/forked.profile" "$folder/child.profile"
