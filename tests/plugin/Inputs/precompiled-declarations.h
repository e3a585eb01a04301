// Defined elsewhere.
struct Letters {
    char *block;
    int used, room;
    void add(char letter);
};
void *room(unsigned long size);
