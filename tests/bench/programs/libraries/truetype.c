/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Draws every letter of a font with stb_truetype, in several sizes. */
#include <stdio.h>
#include <stdlib.h>

#define STB_TRUETYPE_IMPLEMENTATION
#define STBTT_STATIC
#include <stb/stb_truetype.h>

enum { LAST_LETTER = 0x24f };

static unsigned char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    size_t size = (size_t)ftell(file);
    unsigned char *data = malloc(size);
    rewind(file);
    if (fread(data, 1, size, file) != size)
        exit(1);
    fclose(file);
    return data;
}

static unsigned long draw(const stbtt_fontinfo *font, int letter, float height) {
    int width, rows;
    float scale = stbtt_ScaleForPixelHeight(font, height);
    unsigned char *pixels = stbtt_GetCodepointBitmap(font, 0, scale, letter, &width, &rows, NULL, NULL);
    unsigned long sum = 0;
    for (int i = 0; pixels && i < width * rows; i++)
        sum += pixels[i];
    stbtt_FreeBitmap(pixels, NULL);
    return sum;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    unsigned char *data = contents(argv[2]);
    stbtt_fontinfo font;
    if (!stbtt_InitFont(&font, data, 0))
        return 1;
    unsigned long sum = 0;
    for (int rounds = atoi(argv[1]); rounds > 0; rounds--)
        for (int letter = '!'; letter <= LAST_LETTER; letter++)
            for (int height = 12; height <= 24; height += 6)
                sum += draw(&font, letter, (float)height);
    free(data);
    printf("%lu\n", sum);
}
