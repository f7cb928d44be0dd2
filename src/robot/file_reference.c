// robot/file_reference.c - the reference of the file format, from the reader's own tables.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "robot/file.h"
#include "robot/file_read.h"

// All mappings in the order in which keys lead to them, each once.
typedef struct atlas {
    const mapping *all[64];
    int n;
} atlas;

static void explore(atlas *a, const mapping *m) {
    for (int i = 0; i < a->n; i++)
        if (a->all[i] == m) return;
    if (a->n == (int)(sizeof a->all / sizeof *a->all)) return;
    a->all[a->n++] = m;
    key k;
    for (int i = 0; mapping_key(m, i, &k); i++)
        if (k.inside) explore(a, k.inside);
}

static atlas all_mappings(void) {
    atlas a = {.n = 0};
    explore(&a, &root_mapping);
    return a;
}

typedef struct page {
    char *text;
    size_t size, used;  // `used` goes on counting when the page is full
} page;

__attribute__((format(printf, 2, 3))) static void put(page *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t room = p->used < p->size ? p->size - p->used : 0;
    int n = vsnprintf(room ? p->text + p->used : NULL, room, format, args);
    va_end(args);
    if (n > 0) p->used += (size_t)n;
}

static void put_type(page *p, const key *k) {
    put(p, "%s", k->type->words);
    for (const choice *c = k->choices; c && c->name; c++)
        put(p, "%s `%s`", c == k->choices ? "" : ",", c->name);
    if (!k->unit) return;
    if (strcmp(k->unit, SIGNAL_UNIT) == 0) put(p, ", in the unit of its place");
    else if (*k->unit) put(p, ", %s", k->unit);
    else put(p, ", no unit");
}

static void put_mapping(page *p, const mapping *m) {
    put(p, "\n### %s\n\n%s\n\n", m->path, m->title);
    put(p, "| key | value | when left out | meaning |\n|---|---|---|---|\n");
    key k;
    for (int i = 0; mapping_key(m, i, &k); i++) {
        put(p, "| `%s` | ", k.name);
        put_type(p, &k);
        put(p, " | %s | %s |\n", k.fallback ? k.fallback : "**required**", k.text);
    }
}

size_t file_reference(char *buffer, size_t size) {
    page p = {.text = buffer, .size = size};
    const atlas a = all_mappings();
    for (int i = 0; i < a.n; i++) put_mapping(&p, a.all[i]);
    return p.used;
}

int file_key_at(int index, file_key *out) {
    key k;
    const atlas a = all_mappings();
    for (int i = 0; i < a.n; i++)
        for (int n = 0; mapping_key(a.all[i], n, &k); n++) {
            *out = (file_key){a.all[i]->path, k.name};
            if (index-- == 0) return 1;
        }
    return 0;
}
