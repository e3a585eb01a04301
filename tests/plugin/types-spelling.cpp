// C++ types are spelled with all scopes, without default template arguments, and without local paths.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.o && %sites %t.o --format=json | %check
namespace a {
inline namespace v1 {
template <class T, class U = int> struct Box {
    struct Lid {
        int x;
    };
    T x;
};
class Plain {};
} // namespace v1
namespace {
struct Hidden {};
} // namespace
} // namespace a
typedef a::Box<char> Alias;
template <class T> void *made(const T &value) {
    return new T(value);
}
const void *kept[10];
void spell() {
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"a::Box<char>"
    kept[0] = new Alias();
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"a::Box<a::Box<bool, char>>::Lid"
    kept[1] = new a::Box<a::Box<bool, char>>::Lid;
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"a::Plain"
    kept[2] = new const a::Plain();
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"a::(anonymous namespace)::Hidden"
    kept[3] = new a::Hidden;
    struct Local {};
    // CHECK-DAG: "line":[[@LINE+1]],{{.*}}"type":"{{[^"/]*}}Local"
    kept[4] = new Local;
    // CHECK-DAG: "type":"{{[^"/]*}}(lambda at types-spelling.cpp:[[@LINE+1]]:20)"
    kept[5] = made([] {});
}
