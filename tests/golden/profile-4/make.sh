#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make.sh BIN: how the profiles here were made, by the version that wrote them; not to be run again.
set -eu
bin=$1
folder=$(cd "$(dirname "$0")" && pwd)
mkdir -p /tmp/x/g && cd /tmp/x/g
rm -f contexts*profile*
cp "$folder/../profile-2/stacks.c" contexts.c
"$bin/allocsite-clang" -O1 -g -fallocsite-contexts contexts.c -o contexts
ALLOCSITE_OPTIONS=report=none:pairs=1:profile=contexts.profile ./contexts
cp contexts.profile "$folder/contexts.profile"
cp contexts.profile.* "$folder/child.profile"
"$bin/allocsite-dump" merge -o "$folder/merged.profile" "$folder/contexts.profile" "$folder/child.profile"
