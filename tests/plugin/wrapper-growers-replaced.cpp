// A block that takes the place of another one, which is freed, makes it grow as realloc() would; and what has members of its own
// and no base can be a buffer: its constructors and what it is set to are its caller's lines. What is given no size has its own.
// RUN: %typedxx -O0 -c %s -o %t.O0.o && %dump wrappers %t.O0.o | %check
// RUN: %typedxx -O2 -c %s -o %t.O2.o && %dump wrappers %t.O2.o | %check
// REQUIRES: types
// CHECK: # found by their bodies
// CHECK-NEXT: fun:_ZN4Name3setEPKc=wrapper
// CHECK-NEXT: fun:_ZN5Array7reserveEm=wrapper
// CHECK-NEXT: fun:_ZN6String6appendEPKcm=wrapper
// CHECK-NEXT: fun:_ZN6String7reserveEm=wrapper
// CHECK-NEXT: fun:_ZN6StringC1EPKc=wrapper
// CHECK-NEXT: fun:_ZN6StringC2EPKc=wrapper
// CHECK-NEXT: fun:_ZN6StringaSERKS_=wrapper
// CHECK-NOT: {{.}}
#include <cstddef>
#include <cstring>
class String {
    char *bytes;
    size_t used, room;
    typedef size_t number;
    static int count;

  public:
    explicit String(const char *text);
    String();
    ~String();
    String &operator=(const String &other);
    void reserve(number n);
    void append(const char *text, number n);
};
String::String(const char *text) : bytes(new char[strlen(text) + 1]), used(strlen(text)), room(used + 1) {
    memcpy(bytes, text, room);
}
String::String() : bytes(new char[16]), used(0), room(16) {}
String::~String() {
    delete[] bytes;
}
String &String::operator=(const String &other) {
    char *copy = new char[other.room];
    memcpy(copy, other.bytes, other.room);
    delete[] bytes;
    bytes = copy;
    used = other.used, room = other.room;
    return *this;
}
void String::reserve(number n) {
    if (n <= room)
        return;
    char *copy = new char[n];
    memcpy(copy, bytes, used);
    delete[] bytes;
    bytes = copy;
    room = n;
}
void String::append(const char *text, number n) {
    reserve(used + n);
    memcpy(bytes + used, text, n);
    used += n;
}
// No buffer: it has room of its own.
struct Array {
    int *items, few[4];
    size_t used, room;
    void reserve(size_t n);
    void push(int item);
    void begin(size_t n);
};
void Array::reserve(size_t n) {
    int *copy = new int[n];
    memcpy(copy, items, used * sizeof *items);
    if (items != few)
        delete[] items;
    items = copy;
    room = n;
}
void Array::push(int item) {
    if (used == room)
        reserve(2 * room);
    items[used++] = item;
}
void Array::begin(size_t n) {
    items = new int[n];
}
// What lets go of the old block may be a function of its own.
struct Name {
    Name *next;
    char *text;
    bool isOwn;
    void reset();
    void set(const char *to);
};
void Name::reset() {
    if (isOwn)
        delete[] text;
    isOwn = false;
}
void Name::set(const char *to) {
    reset();
    size_t length = strlen(to);
    text = new char[length + 1];
    memcpy(text, to, length + 1);
    isOwn = true;
}
