# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For the tests of twins across files and modules.

# user DIRECT OPTION...: user.o
user() {
    direct=$1
    shift
    silent "$CC" -O2 -g -DDIRECT="$direct" "$@" -c "$here/twin_user.c" -o user.o
}
