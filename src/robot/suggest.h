// robot/suggest.h - "did you mean ...?"
#pragma once

#include <stdbool.h>

// Number of letters to insert, delete, replace or swap with the neighbour to turn a into b; letters
// that differ in case alone are equal. Only the first 63 letters of each count.
int edit_distance(const char *a, const char *b);

// Is `candidate` close enough to be what the writer of `word` meant? Longer words may differ more,
// and a word may be short for the other.
bool is_near(const char *word, const char *candidate);

// Keeps the nearest of the candidates offered one by one.
typedef struct suggestion {
    const char *word;
    const char *best;  // NULL: none is near
    int distance;
} suggestion;

suggestion suggest_for(const char *word);
void suggest(suggestion *s, const char *candidate);
// For the end of a refusal: "; did you mean 'wire'?", or what is said where nothing is near ("").
#define HINT_SIZE 96
// Adds one of what there is: "; there are: wire, tube, ...".
void list_name(char list[HINT_SIZE], const char *name);
const char *hint_text(const suggestion *s, const char *otherwise, char text[HINT_SIZE]);
