// A virtual function that overrides another may return and take classes that the file only declares. These
// have no size; asking for one crashed the compiler.
// RUN: %typedxx -O0 -S -emit-llvm -o - %s | %check
// REQUIRES: types
// CHECK: @_ZN5Other4roomEi
// CHECK: call {{.*}}@__liballocsite_v1__Znam{{(_by_context)?}}(
struct Later;
struct Base {
    virtual Later made(unsigned long count) const;
    virtual void take(Later later);
    virtual int *room(int n);
};
struct Other : Base {
    int *room(int n) override;
};
int *Other::room(int n) {
    return new int[n];
}
