/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Passes messages of many sizes through queues, as a server does; they are written when sent and read when
 * received. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES 256

struct message {
    struct message *next;
    size_t size;
    unsigned char data[];
};

struct queue {
    struct message *first, **last;
};

static uint32_t random_state = 2463534242u;

static uint32_t random_number(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static void send(struct queue *queue) {
    size_t size = 16 + random_number() % 240;
    struct message *message = malloc(sizeof *message + size);
    message->next = NULL;
    message->size = size;
    memset(message->data, (int)size, size);
    *queue->last = message;
    queue->last = &message->next;
}

static unsigned long receive(struct queue *queue) {
    struct message *message = queue->first;
    unsigned long sum = 0;
    if (!message)
        return 0;
    for (size_t i = 0; i < message->size; i++)
        sum += message->data[i];
    queue->first = message->next;
    if (!queue->first)
        queue->last = &queue->first;
    free(message);
    return sum;
}

int main(int argc, char **argv) {
    static struct queue queues[QUEUES];
    long steps = argc > 1 ? atol(argv[1]) : 1000;
    unsigned long sum = 0;
    for (int i = 0; i < QUEUES; i++)
        queues[i].last = &queues[i].first;
    for (long step = 0; step < steps; step++) {
        send(&queues[random_number() % QUEUES]);
        sum += receive(&queues[random_number() % QUEUES]);
    }
    for (int i = 0; i < QUEUES; i++)
        while (queues[i].first)
            sum += receive(&queues[i]);
    printf("%lu\n", sum);
}
