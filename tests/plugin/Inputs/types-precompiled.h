struct Item {
    int x;
};
namespace ns {
template <class T> struct Box {
    T x;
    void *again(void *other) {
        return other ? other : this;
    }
};
} // namespace ns
inline Item *item() {
    return new Item;
}
template <class T> void *make() {
    return new T;
}
