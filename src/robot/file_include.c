// robot/file_include.c - one document from several: files that it includes stand before it, and the robot file that
// a scenario names before that.
#include <stdlib.h>
#include <string.h>

#include "robot/file_read.h"

#define FORMAT_VERSION 1

// ---------------------------------------------------------------- one over another
static void merge_mapping(node *into, node *from, bool deep) {
    for (node *c = from->first, *next; c; c = next) {
        next = c->next;
        node *old = node_child(into, c->key);
        bool inside = deep && old && old->kind == NODE_MAPPING && c->kind == NODE_MAPPING;
        if (inside) {
            merge_mapping(old, c, deep);
        } else if (old) {
            node_put(old, c);
        } else {
            node_append(into, c);
        }
    }
}

// Parts of the same name are replaced, the others added.
static void merge_named(node *into, node *from) {
    for (node *c = from->first, *next; c; c = next) {
        next = c->next;
        const node *name = node_child(c, "name");
        bool named = name && name->kind == NODE_SCALAR;
        node *old = named ? node_named(into, name->text) : NULL;
        if (old) node_put(old, c);
        else node_append(into, c);
    }
}

// Of mappings, not of numbers, as gravity is.
static bool is_list_of_parts(const node *n) {
    return n->kind == NODE_SEQUENCE && n->n_children <= MOST_PARTS &&
           (!n->first || n->first->kind == NODE_MAPPING);
}

static bool is_by_name(const char *word) {
    static const char *const words[] = {"inputs", "let", "materials", "simulation", "record"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

static void merge_key(node *into, node *c) {
    node *old = node_child(into, c->key);
    const bool mappings = old && old->kind == NODE_MAPPING && c->kind == NODE_MAPPING;
    const bool deep = strcmp(c->key, "simulation") == 0 || strcmp(c->key, "record") == 0;
    if (mappings && is_by_name(c->key)) merge_mapping(old, c, deep);
    else if (old && is_list_of_parts(old) && is_list_of_parts(c)) merge_named(old, c);
    else if (old) node_put(old, c);
    else node_append(into, c);
}

static void merge_document(node *into, node *from, const char *less) {
    for (node *c = from->first, *next; c; c = next) {
        next = c->next;
        if (strcmp(c->key, less) != 0) merge_key(into, c);
    }
}

// ---------------------------------------------------------------- what is included
// The tables name it for the reference; it is gone from the tree before they are read.
static td_status nowhere(reader *r, node *n, const key *k, void *to) {
    (void)k, (void)to;
    return REFUSE_KEY(n, "'include' cannot be set here");
}
const value_type type_include = {"path or list of paths", nowhere};

td_status check_format(reader *r, node *root) {
    if (root->kind != NODE_MAPPING)
        return REFUSE(root, "a robot file is a mapping (key: value) that begins with 'tendril: %d'",
                      FORMAT_VERSION);
    const node *n = node_child(root, "tendril");
    if (!n)
        return REFUSE(root, "the key 'tendril' is missing: begin the file with 'tendril: %d'",
                      FORMAT_VERSION);
    if (n->kind == NODE_SCALAR && strcmp(n->text, "1") == 0) return TD_OK;
    return REFUSE(n, "the format's version is '%.20s', but this release reads version %d",
                  n->kind == NODE_SCALAR ? n->text : "?", FORMAT_VERSION);
}

static td_status join_included(reader *r, node **root);

static td_status join_one(reader *r, node *into, node *part, int from) {
    const node *robot = node_child(part, "robot");
    if (part->source == from)
        return REFUSE(part, "'include' takes the path of a file, or a list of them");
    if (robot) return REFUSE_KEY(robot, "a file that names a robot cannot be included");
    td_status status = join_included(r, &part);
    if (!status) merge_document(into, part, "templates");
    return status;
}

// A mapping with what the document includes, and then the document itself, over that.
static td_status join_included(reader *r, node **root) {
    td_status status = check_format(r, *root);
    node *list = status ? NULL : node_child(*root, "include");
    if (!list) return status;
    node *whole = tree_node(r->t, NODE_MAPPING);
    if (!whole) return out_of_memory(r, *root);
    whole->line = (*root)->line, whole->column = (*root)->column, whole->source = (*root)->source;
    if (list->kind != NODE_SEQUENCE) status = join_one(r, whole, list, whole->source);
    for (node *c = list->kind == NODE_SEQUENCE ? list->first : NULL, *next; c && !status;
         c = next) {
        next = c->next;
        status = join_one(r, whole, c, whole->source);
    }
    if (!status) merge_document(whole, *root, "include");
    *root = whole;
    r->rewritten = true;
    return status;
}

// ---------------------------------------------------------------- the robot file of a scenario
static td_status merge_scenario(reader *r, node *robot) {
    if (node_child(robot, "robot"))
        return REFUSE(robot, "this file names a robot file in turn, or itself; a scenario file "
                             "must name one that has rods");
    static const char *const own[] = {"rods", "materials"};
    for (int i = 0; i < 2; i++) {
        const node *c = node_child(r->root, own[i]);
        if (c) return REFUSE_KEY(c, "'%s' belong to the robot file that 'robot' names", own[i]);
    }
    merge_document(robot, r->root, "robot");
    r->root = robot;
    r->rewritten = true;
    return TD_OK;
}

td_status join_documents(reader *r) {
    td_status status = join_included(r, &r->root);
    const node *n = status ? NULL : node_child(r->root, "robot");
    if (!n) return status;
    char *text;
    size_t length;
    int source;
    node *robot = NULL;
    status = r->t->open(r, n, &text, &length, &source);
    if (status) return status;
    // only for those who ask whether they would overwrite it: without memory they do not learn
    r->robot->named_file = strdup(r->t->files[source]);
    status = tree_parse(r->t, text, length, source, &robot, r->err);
    free(text);
    if (!status) status = join_included(r, &robot);
    return status ? status : merge_scenario(r, robot);
}
