// What a precompiled header declares could be a wrapper as much as what a header does, and so could what a
// module exports, whose bodies can be read, though they are compiled with it: their calls go to the twins.
// REQUIRES: types
// RUN: %typedxx -O2 -x c++-header %S/Inputs/precompiled-declarations.h -o %t.pch
// RUN: %typedxx -O2 -include-pch %t.pch -S -emit-llvm -o - %s | %check
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %typedxx -std=c++20 -O2 --precompile %S/Inputs/precompiled-module.cppm -o %t.dir/letters.pcm
// RUN: %typedxx -std=c++20 -O2 -fprebuilt-module-path=%t.dir -DMODULE -S -emit-llvm -o - %s | %check
// CHECK: call {{.*}}3addEc.sited
// CHECK: call {{.*}}4roomm.sited
#ifdef MODULE
import letters;
#endif
int *use(Letters &letters) {
    letters.add('x');
    return static_cast<int *>(room(4));
}
