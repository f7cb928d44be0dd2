// robot/file_set.c - overrides: "rods.backbone.length=0.3 m" applied to the tree before it is read.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/file_read.h"
#include "robot/suggest.h"

typedef struct setter {
    reader *r;
    int number;        // of the override, from 1
    char *path;        // a copy that may be cut into elements
    const char *done;  // what has been walked so far, for messages
    node *value;
} setter;

static td_status refuse(setter *s, const char *message, const char *detail, const char *end) {
    char where[160];
    snprintf(where, sizeof where, "override %d: %.120s", s->number, s->done);
    return error_set(s->r->err, TD_ERR_VALUE, where, "%s%.60s%s", message, detail, end);
}

static td_status no_memory(setter *s) {
    return error_set(s->r->err, TD_ERR_MEMORY, NULL, "out of memory");
}

// The child under the first element of path, or under several of them joined by dots, since the
// name of an input may hold dots itself. *rest: what follows, NULL at the end.
static node *mapping_child(const node *parent, char *path, char **rest) {
    for (char *dot = strchr(path, '.');; dot = strchr(dot + 1, '.')) {
        if (dot) *dot = '\0';
        node *child = node_child(parent, path);
        if (dot) *dot = '.';
        if (child || !dot) {
            *rest = dot ? dot + 1 : NULL;
            return child;
        }
    }
}

static node *sequence_child(const node *sequence, const char *element) {
    node *named = node_named(sequence, element);
    if (named) return named;
    int axis = axis_index(element);
    bool components = sequence->n_children == 3 ||
                      (sequence->n_children == 2 && sequence->first->kind == NODE_SCALAR);
    if (axis >= 0 && axis < sequence->n_children && components) return node_at(sequence, axis);
    if (!isdigit((unsigned char)element[0]) || strlen(element) > 6) return NULL;
    char *end;
    long index = strtol(element, &end, 10);
    return *end ? NULL : node_at(sequence, (int)index);
}

static td_status no_item(setter *s, const node *sequence, const char *element) {
    suggestion near = suggest_for(element);
    for (const node *c = sequence->first; c; c = c->next) {
        const node *name = node_child(c, "name");
        if (c->key) suggest(&near, c->key);
        else if (name && name->kind == NODE_SCALAR) suggest(&near, name->text);
    }
    char detail[160];
    snprintf(detail, sizeof detail, "no item '%.40s' in a list of %d%s%.40s%s", element,
             sequence->n_children, near.best ? "; did you mean '" : "", near.best ? near.best : "",
             near.best ? "'?" : "");
    char where[160];
    snprintf(where, sizeof where, "override %d: %.120s", s->number, s->done);
    return error_set(s->r->err, TD_ERR_VALUE, where, "%s", detail);
}

static td_status add_child(setter *s, node *parent, const char *element, node *child) {
    child->key = tree_text(s->r->t, element, strlen(element));
    child->key_line = 0;
    if (!child->key) return no_memory(s);
    if (parent->n_children >= MOST_KEYS) return refuse(s, "the mapping has too many keys", "", "");
    node_append(parent, child);
    return TD_OK;
}

static td_status add_mapping(setter *s, node *parent, const char *element, node **out) {
    *out = tree_node(s->r->t, NODE_MAPPING);
    if (!*out) return no_memory(s);
    (*out)->source = -s->number;
    return add_child(s, parent, element, *out);
}

// What is left out, so that one component of it can be set.
static td_status add_components(setter *s, node *parent, const char *element, node **out) {
    static const struct {
        const char *key, *text;
    } usual[] = {{"gravity", "[0, 0, -9.81]"},
                 {"direction", "[0, 0, 1]"},
                 {"stretch", "[0, 0, 1]"},
                 {"axis", "[1, 0, 0]"},
                 {"offset", "[0, 0]"}};
    const char *text = "[0, 0, 0]";
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i].key, element) == 0) text = usual[i].text;
    td_status status = tree_parse(s->r->t, text, strlen(text), -s->number, out, s->r->err);
    return status ? status : add_child(s, parent, element, *out);
}

// Cuts the first element off path; returns what follows, NULL at the end.
static char *cut(char *path) {
    char *dot = strchr(path, '.');
    if (dot) *dot++ = '\0';
    return dot;
}

static bool is_signal_key(const char *path) {
    size_t length = strcspn(path, ".");
    for (int i = 0; i < signal_mapping.n_keys; i++) {
        const char *name = signal_mapping.keys[i].name;
        if (strlen(name) == length && strncmp(path, name, length) == 0) return true;
    }
    return false;
}

// A new input: its name goes on, dots included, up to a key of signals.
static char *cut_input(char *path) {
    for (char *dot = strchr(path, '.'); dot; dot = strchr(dot + 1, '.'))
        if (is_signal_key(dot + 1)) {
            *dot = '\0';
            return dot + 1;
        }
    return NULL;
}

// A material that is nearly another's name: a slip rather than a new one.
static bool is_misspelt(const setter *s, const node *at, const char *element) {
    suggestion near = suggest_for(element);
    if (!at->key || strcmp(at->key, "materials") != 0 || at->parent != s->r->root) return false;
    for (const node *c = at->first; c; c = c->next) suggest(&near, c->key);
    return near.best;
}

// Nothing would use a constant that the file does not have.
static td_status no_constant(setter *s, const node *let, char *name) {
    char detail[160], hint[HINT_SIZE], there[HINT_SIZE] = "";
    suggestion near = suggest_for(name);
    for (const node *c = let ? let->first : NULL; c; c = c->next) {
        suggest(&near, c->key);
        list_name(there, c->key);
    }
    snprintf(detail, sizeof detail, "%.40s'%s", name, hint_text(&near, there, hint));
    char where[160];
    snprintf(where, sizeof where, "override %d: %.120s", s->number, s->done);
    return error_set(s->r->err, TD_ERR_VALUE, where, "let has no constant '%s", detail);
}

// "bodies.disc.mass" of a file without bodies.
static bool is_list_of_parts(const char *name) {
    key k;
    for (int i = 0; mapping_key(&root_mapping, i, &k); i++)
        if (strcmp(k.name, name) == 0) return strcmp(k.type->words, "list") == 0;
    return false;
}

// Names of coordinates hold dots, too.
static bool names_coordinates(const setter *s, const node *at) {
    const node *above = at->parent;
    return above && above->parent == s->r->root && above->key && strcmp(above->key, "initial") == 0;
}

static td_status walk(setter *s) {
    node *at = s->r->root;
    char *path = s->path;
    for (int depth = 0; depth < DEEPEST_NESTING; depth++) {
        if (!*path || *path == '.') return refuse(s, "an element of the path is empty", "", "");
        char *rest;
        node *child = NULL;
        if (at->kind == NODE_SCALAR)
            return refuse(s, "'", at->text, "' is a single value; nothing lies below it");
        if (at->kind == NODE_MAPPING) child = mapping_child(at, path, &rest);
        if (at->kind == NODE_SEQUENCE) {
            rest = cut(path);
            child = sequence_child(at, path);
            if (!child) return no_item(s, at, path);
        }
        if (child && !rest) {
            node_put(child, s->value);
            return TD_OK;
        }
        if (!child) {
            bool inputs = at->key && strcmp(at->key, "inputs") == 0 && at->parent == s->r->root;
            rest = inputs ? cut_input(path) : names_coordinates(s, at) ? NULL : cut(path);
            const bool top = at == s->r->root, let = top && rest && strcmp(path, "let") == 0;
            if (let) return no_constant(s, NULL, rest);
            if (at->parent == s->r->root && at->key && strcmp(at->key, "let") == 0)
                return no_constant(s, at, path);
            if (!rest) return add_child(s, at, path, s->value);
            if (top && is_list_of_parts(path)) return refuse(s, "the file has no '", path, "'");
            if (is_misspelt(s, at, path)) return no_item(s, at, path);
            const bool components = axis_index(rest) >= 0 && (!top || strcmp(path, "gravity") == 0);
            td_status status = (components ? add_components : add_mapping)(s, at, path, &child);
            if (status) return status;
        }
        at = child;
        path = rest;
    }
    return refuse(s, "the path is too long", "", "");
}

const node *find_at_path(const node *root, char *path) {
    const node *at = root;
    while (at && path) {
        char *rest = NULL;
        if (at->kind == NODE_MAPPING) {
            at = mapping_child(at, path, &rest);
        } else if (at->kind == NODE_SEQUENCE) {
            rest = cut(path);
            at = sequence_child(at, path);
        } else {
            at = NULL;
        }
        path = rest;
    }
    return at;
}

// "let.reach", or "rods.finger" where that entry stands for several.
static bool is_early(const reader *r, const char *set) {
    const size_t n = strcspn(set, ".="), m = set[n] == '.' ? strcspn(set + n + 1, ".=") : 0;
    char list[64], name[128];
    snprintf(list, sizeof list, "%.*s", (int)n, set);
    snprintf(name, sizeof name, "%.*s", (int)m, m ? set + n + 1 : "");
    if (strcmp(list, "let") == 0) return true;
    const node *parts = node_child(r->root, list);
    const node *item =
        m && parts && parts->kind == NODE_SEQUENCE ? sequence_child(parts, name) : NULL;
    return node_child(item, "repeat") != NULL;
}

static td_status apply(reader *r, const char *set, int number) {
    setter s = {.r = r, .number = number, .done = set ? set : ""};
    const char *equals = set ? strchr(set, '=') : NULL;
    if (!equals || equals == set) return refuse(&s, "'", s.done, "' is not of the form path=value");
    s.path = tree_text(r->t, set, (size_t)(equals - set));
    char *name = tree_text(r->t, set, (size_t)(equals - set));
    if (!s.path || !name) return no_memory(&s);
    s.done = name;
    if (!is_text(name, strlen(name))) return refuse(&s, "the path is not UTF-8", "", "");
    if (!equals[1 + strspn(equals + 1, " ")])
        return refuse(&s, "there is no value after '='", "", "");
    td_status status = tree_parse(r->t, equals + 1, strlen(equals + 1), -number, &s.value, r->err);
    if (status) return status;
    return walk(&s);
}

td_status apply_overrides(reader *r, const char *const *sets, int n_sets, bool early) {
    td_status status = TD_OK;
    r->overridden = n_sets > 0;
    if (early) r->applied = tree_take(r->t, sizeof(bool) * (size_t)n_sets);
    if (!r->applied) return error_set(r->err, TD_ERR_MEMORY, NULL, "out of memory");
    for (int i = 0; i < n_sets && !status; i++) {
        if (r->applied[i] || (early && !(sets[i] && is_early(r, sets[i])))) continue;
        r->applied[i] = true;
        status = apply(r, sets[i], i + 1);
        r->rewritten = true;
    }
    return status;
}
