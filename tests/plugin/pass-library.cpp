// Code of a system header is library code, recognized by its file. So is code in files or with names that the
// user lists. The program's functions that it calls back are not. Sites in headers stay sites.
// REQUIRES: types
// RUN: %typedxx -O0 -isystem %S/Inputs/system -c %s -o %t.o && %functions %t.o | %check --check-prefix=FILE
// RUN: %typedxx -O2 -isystem %S/Inputs/system -c %s -o %t.o && %functions %t.o | %check --check-prefix=FILE
// RUN: cd %S && %typedxx -O2 -isystem Inputs/system -c %s -o %t.o && %functions %t.o | %check --check-prefix=FILE
// RUN: cd %S/Inputs && %typedxx -O0 -isystem ../Inputs/system -c %s -o %t.o && %functions %t.o | %check --check-prefix=FILE
// RUN: %typedxx -O2 -g0 -Rpass=^$ -isystem %S/Inputs/system -c %s -o %t.o && %functions %t.o | %check --check-prefix=FILE
// RUN: %typedxx -O2 -I %S/Inputs/system -fplugin=%plugin -mllvm "-allocsite-library=*/system/box/*" -c %s -o %t.o
// RUN: %functions %t.o | %check --check-prefix=FILE
// RUN: %sites %t.o | %check --check-prefix=SITES
// RUN: %typedxx -O2 -I %S/Inputs/system -fplugin=%plugin -mllvm "-allocsite-library=box*" -c %s -o %t.o
// RUN: %functions %t.o | %check --check-prefix=NAME
// RUN: %typedxx -O2 -isystem %S/Inputs/system -fplugin=%plugin -mllvm -allocsite-library=none -c %s -o %t.o
// RUN: %functions %t.o | %check --check-prefix=OWN --allow-empty
// RUN: %typedxx -O2 -I %S/Inputs/system -c %s -o %t.o && %functions %t.o | %check --check-prefix=OWN --allow-empty
// FILE: library  *  box.h{{$}}
// FILE-NOT: {{^}}library
// NAME-DAG: library  _ZN3box3Box3addEi  box.h{{$}}
// NAME-DAG: library  {{.*}}box_copy{{.*}}  box.h{{$}}
// OWN-NOT: {{^}}library
// SITES-DAG: box.h:{{.*}}  operator new[]  box::Box::grow()
// SITES-DAG: pass-library.cpp:{{.*}}  operator new  call(box::Box&, int**)::{{.*}}operator()(int) const
#include <box/box.h>
void fill(box::Box &box) {
    box.add(1);
}
int put(box::Box &box, int at) {
    return box.put(1, at).at;
}
void call(box::Box &box, int **p) {
    box.each([&](int n) {
        p[n] = new int(n);
    });
}
void *copied(const char (&text)[8]) {
    return box_copy(text, sizeof text);
}
