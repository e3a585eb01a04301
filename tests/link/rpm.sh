#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The RPM package: rpm installs it into a folder, it owns no folder of the system, and its contents work from there.
. "$(dirname "$0")/common.sh"

command -v rpmbuild >/dev/null || exit 77
package RPM
rpm -qpR ./*.rpm >requires
for library in libc.so.6 libdwarf.so.1 libz.so.1; do
    grep -q "^$library(" requires || fail "does not require $library: $(cat requires)"
done
[ "$(rpm -qp --queryformat '%{LICENSE}' ./*.rpm)" = "Apache-2.0 WITH LLVM-exception" ] || fail "has another licence"

# Dependencies are Debian's here, which no RPM database has.
mkdir root
rpm --root "$PWD/root" --nodeps --noscripts -i ./*.rpm >rpm.log 2>&1 || { cat rpm.log >&2; fail "cannot be installed"; }
rpm --root "$PWD/root" -ql allocsite >files
while read -r file; do
    [ ! -d "root$file" ] || [ "${file#*allocsite}" != "$file" ] || fail "owns $file"
done <files
grep -q '/man1/allocsite-dump.1.gz$' files || fail "no manual"
"root/usr/bin/allocsite-clang-$MAJOR" -O2 -g "$here/app.c" -o app
counted ./app "$here/app.c"
rpm --root "$PWD/root" -e --noscripts allocsite >rpm.log 2>&1 || { cat rpm.log >&2; fail "cannot be removed"; }
[ -z "$(find root/usr ! -type d)" ] || fail "leaves $(find root/usr ! -type d)"
