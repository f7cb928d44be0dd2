// robot/file_tree.c - nodes, their paths, and refusals that point at them.
#include "robot/file_tree.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 32768

typedef struct block {
    struct block *next;
    size_t used, size;
    max_align_t data[];
} block;

// ---------------------------------------------------------------- memory
void tree_free(tree *t) {
    for (block *b = t->blocks; b;) {
        block *next = b->next;
        free(b);
        b = next;
    }
    t->blocks = NULL;
}

void *tree_take(tree *t, size_t bytes) {
    const size_t align = sizeof(max_align_t);
    if (bytes > SIZE_MAX / 2) return NULL;
    bytes = (bytes + align - 1) / align * align;
    block *b = t->blocks;
    if (!b || b->size - b->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b = calloc(1, sizeof *b + size);
        if (!b) return NULL;
        b->size = size;
        b->next = t->blocks;
        t->blocks = b;
    }
    void *at = (char *)b->data + b->used;
    b->used += bytes;
    return at;
}

char *tree_text(tree *t, const char *text, size_t length) {
    char *copy = tree_take(t, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

// ---------------------------------------------------------------- nodes
node *tree_node(tree *t, node_kind kind) {
    if (t->n_nodes >= MOST_NODES) return NULL;
    node *n = tree_take(t, sizeof *n);
    if (!n) return NULL;
    t->n_nodes++;
    n->kind = kind;
    return n;
}

void node_append(node *parent, node *child) {
    child->parent = parent;
    child->next = NULL;
    if (parent->last) parent->last->next = child;
    else parent->first = child;
    parent->last = child;
    parent->n_children++;
}

node *node_copy(tree *t, const node *from, node *parent) {
    node *n = tree_node(t, from->kind);
    if (!n) return NULL;
    *n = *from;
    n->parent = n->next = n->first = n->last = NULL;
    n->n_children = 0;
    node_append(parent, n);
    return node_copy_children(t, from, n) ? n : NULL;
}

// The depth is bounded because that of every document is.
bool node_copy_children(tree *t, const node *from, node *to) {
    for (const node *c = from->first; c; c = c->next)
        if (!node_copy(t, c, to)) return false;
    return true;
}

// The pointer that leads to child: its parent's `first`, or the `next` of its neighbour.
static node **link_to(node *child) {
    node **link = &child->parent->first;
    while (*link != child) link = &(*link)->next;
    return link;
}

void node_put(node *old, node *replacement) {
    node *parent = old->parent;
    *link_to(old) = replacement;
    replacement->parent = parent;
    replacement->next = old->next;
    replacement->key = old->key;
    if (!replacement->key_line) {
        replacement->key_line = old->key_line;
        replacement->key_column = old->key_column;
    }
    if (parent->last == old) parent->last = replacement;
}

void node_remove(node *child) {
    node *parent = child->parent;
    *link_to(child) = child->next;
    parent->n_children--;
    if (parent->last != child) return;
    parent->last = parent->first;
    while (parent->last && parent->last->next) parent->last = parent->last->next;
}

node *node_child(const node *mapping, const char *key) {
    if (!mapping || mapping->kind != NODE_MAPPING) return NULL;
    for (node *c = mapping->first; c; c = c->next)
        if (strcmp(c->key, key) == 0) return c;
    return NULL;
}

node *node_at(const node *sequence, int index) {
    if (!sequence || sequence->kind != NODE_SEQUENCE || index < 0) return NULL;
    node *c = sequence->first;
    for (int i = 0; c && i < index; i++) c = c->next;
    return c;
}

node *node_named(const node *sequence, const char *name) {
    if (!sequence || sequence->kind != NODE_SEQUENCE) return NULL;
    for (node *c = sequence->first; c; c = c->next) {
        const node *given = node_child(c, "name");
        if (given && given->kind == NODE_SCALAR && strcmp(given->text, name) == 0) return c;
    }
    return NULL;
}

// Of a copy too, which is told by its neighbour.
int node_index(const node *child) {
    int index = 0;
    for (const node *c = child->parent->first; c->next != child->next; c = c->next) index++;
    return index;
}

int axis_index(const char *element) {
    if (strlen(element) != 1) return -1;
    const char *axes = "xyz", *found = strchr(axes, element[0]);
    return found ? (int)(found - axes) : -1;
}

// ---------------------------------------------------------------- paths
static const char *item_name(const node *item) {
    const node *name = node_child(item, "name");
    return name && name->kind == NODE_SCALAR && name->text[0] ? name->text : NULL;
}

static void append(char *path, size_t size, const char *element) {
    size_t used = strlen(path);
    snprintf(path + used, size - used, "%s%s", used ? "." : "", element);
}

const char *node_path(const node *n, char *path, size_t size) {
    path[0] = '\0';
    if (!n->parent) return path;
    node_path(n->parent, path, size);
    char number[16];
    if (n->key) {
        append(path, size, n->key);
    } else if (item_name(n)) {
        append(path, size, item_name(n));
    } else {
        int index = node_index(n);
        snprintf(number, sizeof number, "%d", index);
        bool axis = n->parent->axes && index < 3;
        append(path, size, axis ? (const char *[]){"x", "y", "z"}[index] : number);
    }
    return path;
}

// A long name of a file is cut at its front, so that the place still fits.
static const char *short_file(const char *file) {
    size_t length = strlen(file);
    return length > 80 ? file + (length - 80) : file;
}

static void place_error(const tree *t, const node *n, bool key, const char *rest, td_error *err) {
    char path[256];
    node_path(n, path, sizeof path);
    if (rest && *rest) append(path, sizeof path, rest);
    err->line = err->column = 0;
    if (n->source < 0) {
        snprintf(err->where, sizeof err->where, "override %d: %.150s", -n->source, path);
        return;
    }
    err->line = key && n->key_line ? n->key_line : n->line;
    err->column = key && n->key_line ? n->key_column : n->column;
    snprintf(err->where, sizeof err->where, "%s:%d:%d%s%.90s", short_file(t->files[n->source]),
             err->line, err->column, *path ? ": " : "", path);
}

void node_place_error(const tree *t, const node *n, const char *rest, td_error *err) {
    place_error(t, n, false, rest, err);
}

td_status node_error(const tree *t, const node *n, bool at_key, td_error *err, td_status status,
                     const char *format, ...) {
    *err = (td_error){.status = status};
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    place_error(t, n, at_key, NULL, err);
    return status;
}
