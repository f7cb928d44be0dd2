// robot/file_tree.h - a YAML document as a tree that knows where every value stands.
//
// All memory of a tree is taken from its own blocks and freed at once: no failure path can leak.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tendril/status.h"

#define LARGEST_FILE (16u << 20)  // bytes
#define MOST_NODES 400000
#define MOST_KEYS 1024  // of one mapping
#define MOST_ANCHORS 256
#define DEEPEST_NESTING 32
#define MOST_FILES 64  // of one document, with those that it names and includes

typedef enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING } node_kind;

typedef struct node {
    node_kind kind;
    struct node *parent, *next;
    struct node *first, *last;  // children
    int n_children;
    const char *key;   // where the parent is a mapping
    const char *text;  // of a scalar
    int line, column;  // of the value, 1-based; 0: unknown
    int key_line, key_column;
    int source;   // >= 0: a file of the tree; -n: the n-th override
    bool quoted;  // a scalar between quotes: its text begins one column later
    bool axes;    // its children are components: x, y, z rather than 0, 1, 2 in a path
} node;

typedef struct tree {
    struct block *blocks;
    int n_nodes;
    const char *files[MOST_FILES];  // names for messages: the document first, then what it includes
    int n_more;                     // of them beyond the first
    // Opens the file that n names, as one more of these: its text, to be freed, and its number. NULL: a document
    // includes nothing.
    td_status (*open)(void *opener, const node *n, char **text, size_t *length, int *source);
    void *opener;
} tree;

void tree_free(tree *t);
void *tree_take(tree *t, size_t bytes);                     // zeroed; NULL: out of memory
char *tree_text(tree *t, const char *text, size_t length);  // a terminated copy

bool is_text(const char *text, size_t length);  // UTF-8 without NUL

// Reads YAML into *root. Anchors and merge keys (<<) are expanded, within MOST_NODES; tags are refused. A path, or each of a list
// of them, under `include` at the top becomes the document that stands there, whose anchors are known from then on.
td_status tree_parse(tree *t, const char *text, size_t length, int source, node **root,
                     td_error *err);
// The document again as YAML. Free with free(); NULL: out of memory.
char *tree_write(const node *root);

node *tree_node(tree *t, node_kind kind);  // NULL: out of memory or more than MOST_NODES
void node_append(node *parent, node *child);
// A copy under `parent`, and copies of all children of `from` under `to`. They keep the place of the text
// that they stand for. NULL, false: as of tree_node.
node *node_copy(tree *t, const node *from, node *parent);
bool node_copy_children(tree *t, const node *from, node *to);
void node_put(node *old, node *replacement);  // in the place and under the key of `old`
void node_remove(node *child);
node *node_child(const node *mapping, const char *key);  // NULL: none, or not a mapping
node *node_at(const node *sequence, int index);
node *node_named(const node *sequence, const char *name);  // the item with that `name:`
int node_index(const node *child);
int axis_index(const char *element);  // x, y, z -> 0, 1, 2; otherwise -1

// "rods.backbone.length"
const char *node_path(const node *n, char *path, size_t size);

// A refusal with file, line, column and path; at the key rather than its value.
td_status node_error(const tree *t, const node *n, bool at_key, td_error *err, td_status status,
                     const char *format, ...) __attribute__((format(printf, 6, 7)));
// Puts the place of n, with `rest` after its path, on a refusal whose message is already set.
void node_place_error(const tree *t, const node *n, const char *rest, td_error *err);
