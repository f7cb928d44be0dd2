// robot/suggest.c - see suggest.h.
#include "robot/suggest.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_WORD 63
#define SHORTEST_STEM 3  // letters that one word may have of another

static int least(int a, int b) {
    return a < b ? a : b;
}
static int lower(char c) {
    return tolower((unsigned char)c);
}

// Optimal string alignment, row by row.
int edit_distance(const char *a, const char *b) {
    int rows[3][LONGEST_WORD + 1];
    int *before = rows[0], *above = rows[1], *row = rows[2];
    int n = (int)strnlen(a, LONGEST_WORD), m = (int)strnlen(b, LONGEST_WORD);
    for (int j = 0; j <= m; j++) before[j] = above[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int differs = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = least(above[j - 1] + differs, least(above[j], row[j - 1]) + 1);
            bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) row[j] = least(row[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = above, above = row, row = oldest;
    }
    return above[m];
}

// "output" for "out", "sim" for "simulation".
static bool begins(const char *a, const char *b) {
    size_t n = strnlen(a, LONGEST_WORD), m = strnlen(b, LONGEST_WORD), k = n < m ? n : m;
    for (size_t i = 0; i < k; i++)
        if (lower(a[i]) != lower(b[i])) return false;
    return k >= SHORTEST_STEM;
}

bool is_near(const char *word, const char *candidate) {
    if (begins(word, candidate)) return true;
    int length = (int)strnlen(candidate, LONGEST_WORD);
    int allowed = length <= 2 ? 0 : length <= 4 ? 1 : length <= 8 ? 2 : 3;
    return edit_distance(word, candidate) <= allowed;
}

suggestion suggest_for(const char *word) {
    return (suggestion){word, NULL, INT_MAX};
}

void suggest(suggestion *s, const char *candidate) {
    if (!is_near(s->word, candidate)) return;
    int distance = edit_distance(s->word, candidate);
    if (distance < s->distance) s->best = candidate, s->distance = distance;
}

void list_name(char list[HINT_SIZE], const char *name) {
    static const char end[] = ", ...";
    const size_t used = strlen(list), more = strnlen(name, LONGEST_WORD) + 2;
    const char *between = used ? ", " : "; there are: ";
    if (used + more + strlen(between) + sizeof end <= HINT_SIZE)
        snprintf(list + used, HINT_SIZE - used, "%s%.*s", between, LONGEST_WORD, name);
    else if (used >= sizeof end && strcmp(list + used - sizeof end + 1, end) != 0)
        snprintf(list + used, HINT_SIZE - used, "%s", end);
}

const char *hint_text(const suggestion *s, const char *otherwise, char text[HINT_SIZE]) {
    if (s->best) snprintf(text, HINT_SIZE, "; did you mean '%.64s'?", s->best);
    else snprintf(text, HINT_SIZE, "%s", otherwise);
    return text;
}
