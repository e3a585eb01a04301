#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# make_lifetimes.sh BIN: how lifetimes.profile was made, as make.sh the others.
set -u
bin=$1
folder=$(cd "$(dirname "$0")" && pwd)
mkdir -p /tmp/x/g && cd /tmp/x/g
rm -f lifetimes*
cp "$folder/lifetimes.c" .
"$bin/allocsite-clang" -O1 -g -static lifetimes.c -o lifetimes
ALLOCSITE_OPTIONS=report=none:lifetime=1:profile=lifetimes.profile ./lifetimes
cp lifetimes.profile "$folder"
