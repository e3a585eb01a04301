// Code of a system header is billed to the first line of the program's own that calls into it, inlined or not; what it
// calls back is the program's again. So is code of files and names that the user says.
// REQUIRES: types
// RUN: %typedxx -O0 -isystem %S/Inputs/system -c %s -o %t.o && %sites %t.o | %check
// RUN: %typedxx -O2 -isystem %S/Inputs/system -c %s -o %t.o && %sites %t.o | %check
// RUN: cd %S && %typedxx -O2 -isystem Inputs/system -c %s -o %t.o && %sites %t.o | %check
// RUN: cd %S/Inputs && %typedxx -O0 -isystem ../Inputs/system -c %s -o %t.o && %sites %t.o | %check
// RUN: %typedxx -O2 -g0 -Rpass=^$ -isystem %S/Inputs/system -c %s -o %t.o && %sites %t.o | %check
// RUN: %typedxx -O2 -I %S/Inputs/system -fplugin=%plugin -mllvm "-allocsite-library=*/system/box/*" -c %s -o %t.o && %sites %t.o | %check
// RUN: %typedxx -O2 -I %S/Inputs/system -fplugin=%plugin -mllvm "-allocsite-library=box*" -c %s -o %t.o && %sites %t.o | %check
// RUN: %typedxx -O2 -isystem %S/Inputs/system -fplugin=%plugin -mllvm -allocsite-library=none -c %s -o %t.o && %sites %t.o | %check --check-prefix=OWN
// RUN: %typedxx -O2 -I %S/Inputs/system -c %s -o %t.o && %sites %t.o | %check --check-prefix=OWN
// OWN: box.h:{{.*}} operator new
#include <box/box.h>
// CHECK-DAG: library-headers.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}box::Box::add {{ *}}fill(
void fill(box::Box &box) {
    box.add(1);
}
// CHECK-DAG: library-headers.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}box::Box::put {{ *}}put(
int put(box::Box &box, int at) {
    return box.put(1, at).at;
}
// CHECK-DAG: library-headers.cpp:[[@LINE+3]]:{{[0-9]+}} {{ *}}operator new {{.*}}operator()(
void call(box::Box &box, int **p) {
    box.each([&](int n) {
        p[n] = new int(n);
    });
}
// CHECK-DAG: library-headers.cpp:[[@LINE+2]]:{{[0-9]+}} {{ *}}box_copy {{ *}}copied(
void *copied(const char (&text)[8]) {
    return box_copy(text, sizeof text);
}
