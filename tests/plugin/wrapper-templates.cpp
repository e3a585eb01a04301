// A container of the program's own is treated as those of std are: what a function of a class template allocates
// that is given an element, a number of them or another container is billed to the line that calls it, be it the
// room for them or the node of one. So is what a function makes whose caller names the class.
// REQUIRES: types
// RUN: %typedxx -O0 -c %s -o %t.o && %sites %t.o | %check
// RUN: %typedxx -O2 -c %s -o %t.o && %sites %t.o | %check
#include <new>
#include <stdlib.h>
template <class T> struct List {
    struct Node {
        Node *next;
        T element;
    };
    Node *head = nullptr;
    void add(const T &element) {
        head = new Node{head, element};
    }
};
// The first block lies in the object.
template <class T, int N> struct Small {
    T own[N];
    T *block = own;
    int used = 0, room = N;
    void grow() {
        T *larger = new T[room * 2];
        for (int i = 0; i < used; i++)
            larger[i] = block[i];
        if (block != own)
            delete[] block;
        block = larger, room *= 2;
    }
    void push(const T &element) {
        if (used == room)
            grow();
        block[used++] = element;
    }
};
struct Allocator {
    int calls;
    void *allocate(unsigned long size) {
        calls++;
        return malloc(size);
    }
};
// What grows goes on with the object, in which there is more than the block and numbers.
template <class T> struct Array {
    Allocator allocator;
    T *block;
    int used, room;
    void release() {
        free(block);
    }
    void reserve(int count) {
        T *larger = static_cast<T *>(allocator.allocate(count * sizeof(T)));
        for (int i = 0; i < used; i++)
            larger[i] = block[i];
        release();
        block = larger, room = count;
    }
    void add(const T &element) {
        if (used == room)
            reserve(room * 2);
        block[used++] = element;
    }
    T &expand() {
        if (used == room)
            reserve(room * 2);
        return block[used++];
    }
};
template <class T> struct Set {
    Array<T> array;
    void insert(T element) {
        array.add(element);
    }
};
// What a pool will hold many in is its own, and so is what is made by no word of a caller.
template <class T> struct Pool {
    struct Chunk {
        Chunk *next;
        T elements[16];
    };
    Chunk *chunks = nullptr;
    int used = 16;
    T *add(const T &element) {
        if (used == 16)
            // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  operator new  Pool<int>::add(int const&)  type Pool<int>::Chunk
            chunks = new Chunk{chunks, {}}, used = 0;
        return &(chunks->elements[used++] = element);
    }
    T *spare = nullptr;
    void refill() {
        // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  operator new  Pool<int>::refill()  type int
        spare = new T();
    }
};
template <class T> struct Handle {
    T *thing;
};
template <class T, class... Arguments> Handle<T> make(Arguments... arguments) {
    return {new T(arguments...)};
}
template <class T> Handle<T> copy(const T &from) {
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  operator new  {{.*}}copy<{{.*}}  type Thing
    return {new T(from)};
}
void *tried;
template <class T> void try_one() {
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  operator new  {{.*}}try_one<{{.*}}  type Thing
    tried = new T(1);
}
struct Thing {
    int number;
    Thing(int number) : number(number) {}
};
template <class... Arguments> Thing *animate(Arguments... arguments) {
    return new Thing(arguments...);
}
// What is freed where a constructor throws is of the type that was to be made.
struct Risky {
    int number;
    Risky(int number);
};
void risk(Handle<Risky> &handle) {
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  make  risk({{.*}}  type Risky{{$}}
    handle = make<Risky>(9);
}
// A number that is kept says nothing of how much room there is.
struct Owner {
    Set<int> numbers;
    long others[9];
    void note(int number) {
        // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  Set::insert  Owner::note(int)  type int
        numbers.insert(number);
    }
};
void note(Owner &owner) {
    owner.note(8);
}
void use(List<int> &list, Small<char, 8> &small, Array<Thing> &array, Pool<int> &pool, Handle<Thing> &handle) {
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  List::add  use({{.*}}  type List<int>::Node
    list.add(1);
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  Small::push  use({{.*}}  type char
    small.push('x');
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  Array::add  use({{.*}}  type Thing
    array.add(2);
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  Array::expand  use({{.*}}  type Thing
    array.expand() = 6;
    pool.add(3);
    pool.refill();
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  make  use({{.*}}  type Thing
    handle = make<Thing>(4);
    handle = copy(Thing(5));
    try_one<Thing>();
    // CHECK-DAG: [[@LINE+1]]:{{[0-9]+}}  animate  use({{.*}}  type Thing
    handle.thing = animate(7);
}
