// robot/file_stl.c - triangles from STL files, as text and as numbers.
//
//     text:     solid NAME, then of each triangle: facet normal .. / outer loop / vertex x y z (three) / ..
//     numbers:  80 bytes of anything, how many, then of each 12 floats and 2 bytes; little endian
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "robot/file_read.h"

#define HEAD 84   // bytes before the first triangle
#define FACET 50  // bytes of each

static uint32_t word_at(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const unsigned char *b) {
    const uint32_t word = word_at(b);
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

// A text file may well begin with the right number by chance, and many files of numbers with `solid`: the length tells.
static bool is_binary(const char *bytes, size_t length) {
    return length >= HEAD &&
           length == HEAD + (size_t)FACET * word_at((const unsigned char *)bytes + 80);
}

static td_status take_numbers(reader *r, const node *n, const char *bytes, double scale,
                              double **corners, int *count) {
    const unsigned char *b = (const unsigned char *)bytes;
    const size_t facets = word_at(b + 80);
    *count = (int)(3 * facets);
    *corners = tree_take(r->t, 4 * sizeof **corners * 3 * (facets + 1));
    if (!*corners) return out_of_memory(r, n);
    for (size_t i = 0; i < 3 * facets; i++)
        for (size_t k = 0; k < 3; k++)
            (*corners)[4 * i + k] =
                scale * float_at(b + HEAD + FACET * (i / 3) + 12 + 12 * (i % 3) + 4 * k);
    return TD_OK;
}

static const char *next_word(const char *at) {
    while (isspace((unsigned char)*at)) at++;
    return at;
}

static bool is_word(const char *at, const char *word) {
    const size_t n = strlen(word);
    return strncmp(at, word, n) == 0 && (isspace((unsigned char)at[n]) || !at[n]);
}

static const char *after_word(const char *at) {
    while (*at && !isspace((unsigned char)*at)) at++;
    return next_word(at);
}

static int count_corners(const char *text) {
    int n = 0;
    for (const char *at = next_word(text); *at; at = after_word(at)) n += is_word(at, "vertex");
    return n;
}

static td_status take_text(reader *r, const node *n, const char *text, double scale,
                           double **corners, int *count) {
    int got = 0, line = 1;
    *count = count_corners(text);
    *corners = tree_take(r->t, 4 * sizeof **corners * ((size_t)*count + 1));
    if (!*corners) return out_of_memory(r, n);
    for (const char *at = next_word(text), *from = text; *at; at = after_word(at)) {
        for (; from < at; from++) line += *from == '\n';
        if (is_word(at, "endfacet") && got % 3)
            return REFUSE(n, "'%.60s', line %d: a facet has three vertices", n->text, line);
        if (!is_word(at, "vertex")) continue;
        for (int k = 0; k < 3; k++) {
            char *end;
            at = after_word(at);
            const double value = strtod(at, &end);
            if (end == at || !isfinite(value))
                return REFUSE(n, "'%.60s', line %d: three numbers are expected after 'vertex'",
                              n->text, line);
            (*corners)[4 * got + k] = scale * value;
        }
        got++;
    }
    return TD_OK;
}

td_status read_stl(reader *r, const node *n, double scale, double **corners, int *count) {
    const char *path;
    char *bytes = NULL;
    size_t length = 0;
    td_status status = read_named_file(r, n, &path, &bytes, &length);
    if (status) return status;
    if (is_binary(bytes, length)) status = take_numbers(r, n, bytes, scale, corners, count);
    else if (is_word(next_word(bytes), "solid") && strlen(bytes) == length)
        status = take_text(r, n, bytes, scale, corners, count);
    else
        status = REFUSE(n,
                        "'%.60s' is no STL file: neither does it begin with 'solid', nor has it "
                        "the length that its number of triangles asks for",
                        n->text);
    free(bytes);
    return status;
}
