module;
void *operator new[](unsigned long size);
export module letters;
export struct Letters {
    char *block;
    int used, room;
    __attribute__((noinline)) void add(char letter) {
        char *old = block;
        if (used == room)
            block = new char[room *= 2];
        block[used++] = letter;
        delete[] old;
    }
};
export __attribute__((noinline)) void *room(unsigned long size) {
    return new char[size];
}
