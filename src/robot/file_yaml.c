// robot/file_yaml.c - from YAML text to a tree, through the events of libfyaml; nothing else in the
// library knows libfyaml.
#include <libfyaml.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "robot/file_tree.h"
#include "robot/suggest.h"

typedef struct anchor {
    struct anchor *next;
    const char *name;
    const node *at;
} anchor;

typedef struct builder {
    tree *t;
    td_error *err;
    int source;
    node *root;
    node *open;  // the container that is being filled
    int depth;
    const char *key;  // the key whose value comes next
    int key_line, key_column;
    anchor *anchors;
    int n_anchors;
    bool document_seen, ended;
    const struct builder *outer;  // of the document that includes this one
} builder;

static td_status include(builder *b, node *n);

static td_status refuse_at(builder *b, int line, int column, const char *message,
                           const char *detail) {
    td_error *err = b->err;
    error_set(err, TD_ERR_PARSE, NULL, "%s%s", message, detail);
    if (b->source < 0) {
        snprintf(err->where, sizeof err->where, "override %d", -b->source);
        return TD_ERR_PARSE;
    }
    err->line = line, err->column = column;
    snprintf(err->where, sizeof err->where, "%.150s:%d:%d", b->t->files[b->source], line, column);
    return TD_ERR_PARSE;
}

static td_status refuse(builder *b, const struct fy_mark *mark, const char *message) {
    return refuse_at(b, mark ? mark->line + 1 : 0, mark ? mark->column + 1 : 0, message, "");
}

// ---------------------------------------------------------------- before the parser
static int is_continuation(unsigned char c) {
    return (c & 0xc0) == 0x80;
}

// Bytes of the UTF-8 character at text, 0 when it is none (overlong, surrogate, cut off ...).
static size_t character_length(const unsigned char *c, size_t left) {
    if (c[0] < 0x80) return 1;
    size_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4 || n > left) return 0;
    for (size_t i = 1; i < n; i++)
        if (!is_continuation(c[i])) return 0;
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f)) return 0;
    if ((c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)) return 0;
    return n;
}

// Also what escapes in quotes ("\\0", "\\ud800") may smuggle in.
bool is_text(const char *text, size_t length) {
    if (!text) return false;
    for (size_t i = 0, n; i < length; i += n) {
        n = character_length((const unsigned char *)text + i, length - i);
        if (n == 0 || text[i] == '\0') return false;
    }
    return true;
}

static td_status check_text(builder *b, const char *text, size_t length) {
    int line = 1, column = 1;
    if (length > LARGEST_FILE) return refuse_at(b, 1, 1, "the file is larger than 16 MiB", "");
    for (size_t i = 0; i < length;) {
        const unsigned char *c = (const unsigned char *)text + i;
        size_t n = character_length(c, length - i);
        if (n == 0)
            return refuse_at(b, line, column, "the text is not UTF-8 here; save the file as UTF-8",
                             "");
        if (*c == 0) return refuse_at(b, line, column, "the text holds a NUL byte", "");
        if ((*c < 0x20 && *c != '\t' && *c != '\n' && *c != '\r') || *c == 0x7f)
            return refuse_at(b, line, column, "the text holds a control character", "");
        column++;
        if (*c == '\n') line++, column = 1;
        i += n;
    }
    return TD_OK;
}

// ---------------------------------------------------------------- building
static td_status no_room(builder *b) {
    if (b->t->n_nodes >= MOST_NODES)
        return refuse_at(b, 1, 1,
                         "the document, with its aliases expanded, holds more values than the "
                         "400 000 which are allowed",
                         "");
    return error_set(b->err, TD_ERR_MEMORY, NULL, "out of memory");
}

static td_status place(builder *b, node *n) {
    if (!b->open) {
        b->root = n;
        return TD_OK;
    }
    if (b->open->kind == NODE_MAPPING) {
        n->key = b->key;
        n->key_line = b->key_line, n->key_column = b->key_column;
        b->key = NULL;
    }
    node_append(b->open, n);
    return TD_OK;
}

static td_status add_node(builder *b, node_kind kind, const struct fy_mark *mark, node **out) {
    node *n = tree_node(b->t, kind);
    if (!n) return no_room(b);
    n->source = b->source;
    if (mark) n->line = mark->line + 1, n->column = mark->column + 1;
    else if (b->key)  // an empty value has no place of its own
        n->line = b->key_line, n->column = b->key_column;
    else if (b->open) n->line = b->open->line, n->column = b->open->column;
    *out = n;
    return place(b, n);
}

// Copies the text of a token to `to`, or only counts where that is NULL; false on failure. It goes
// through an iterator because fy_token_get_text of libfyaml 0.7.12 loses memory when a quoted line
// holds many escapes.
static bool copy_token(struct fy_token *token, char *to, size_t *length) {
    struct fy_token_iter *iterator = fy_token_iter_create(token);
    if (!iterator) return false;
    int failed = 0;
    *length = 0;
    const struct fy_iter_chunk *chunk = fy_token_iter_chunk_next(iterator, NULL, &failed);
    for (; chunk; chunk = fy_token_iter_chunk_next(iterator, chunk, &failed)) {
        if (to) memcpy(to + *length, chunk->str, chunk->len);
        *length += chunk->len;
    }
    fy_token_iter_destroy(iterator);
    return failed == 0;
}

// The text of a token, in memory of the tree.
static td_status token_text(builder *b, struct fy_token *token, const struct fy_mark *mark,
                            const char **text) {
    size_t length = 0;
    *text = "";
    if (!token) return TD_OK;
    if (!copy_token(token, NULL, &length)) return refuse(b, mark, "the text cannot be read");
    char *copy = tree_take(b->t, length + 1);
    if (!copy) return no_room(b);
    if (!copy_token(token, copy, &length)) return refuse(b, mark, "the text cannot be read");
    *text = copy;
    if (is_text(copy, length)) return TD_OK;
    return refuse(b, mark, "the text holds a NUL or half a character");
}

static td_status add_key(builder *b, struct fy_token *value, const struct fy_mark *mark) {
    td_status status = token_text(b, value, mark, &b->key);
    if (status) return status;
    b->key_line = mark ? mark->line + 1 : 0, b->key_column = mark ? mark->column + 1 : 0;
    const node *before = node_child(b->open, b->key);
    if (before) {
        node second = *before;
        second.key_line = b->key_line, second.key_column = b->key_column;
        return node_error(b->t, &second, true, b->err, TD_ERR_PARSE,
                          "the key stands twice in one mapping, first on line %d",
                          before->key_line);
    }
    if (b->open->n_children >= MOST_KEYS) return refuse(b, mark, "the mapping has too many keys");
    return TD_OK;
}

static td_status remember(builder *b, struct fy_token *token, const node *n) {
    if (!token) return TD_OK;
    if (++b->n_anchors > MOST_ANCHORS)
        return refuse_at(b, n->line, n->column, "the document has too many anchors", "");
    anchor *a = tree_take(b->t, sizeof *a);
    if (!a) return no_room(b);
    td_status status = token_text(b, token, NULL, &a->name);
    if (status) return status;
    a->at = n;
    a->next = b->anchors;
    b->anchors = a;
    return TD_OK;
}

static bool wants_key(const builder *b) {
    return b->open && b->open->kind == NODE_MAPPING && !b->key;
}

static td_status on_scalar(builder *b, const struct fy_event *e, const struct fy_mark *mark) {
    if (e->scalar.tag) return refuse(b, mark, "tags (!...) are not used in robot files");
    if (wants_key(b)) {
        if (e->scalar.anchor) return refuse(b, mark, "a key cannot carry an anchor here");
        return add_key(b, e->scalar.value, mark);
    }
    node *n = NULL;
    td_status status = add_node(b, NODE_SCALAR, mark, &n);
    if (status) return status;
    struct fy_token *value = e->scalar.value;
    status = token_text(b, value, mark, &n->text);
    if (status) return status;
    enum fy_scalar_style style = value ? fy_token_scalar_style(value) : FYSS_PLAIN;
    n->quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
    if (n->quoted) n->column--;  // at the quote
    status = remember(b, e->scalar.anchor, n);
    return status ? status : include(b, n);
}

static td_status on_start(builder *b, const struct fy_event *e, const struct fy_mark *mark) {
    bool mapping = e->type == FYET_MAPPING_START;
    struct fy_token *tag = mapping ? e->mapping_start.tag : e->sequence_start.tag;
    struct fy_token *name = mapping ? e->mapping_start.anchor : e->sequence_start.anchor;
    if (tag) return refuse(b, mark, "tags (!...) are not used in robot files");
    if (wants_key(b)) return refuse(b, mark, "a key must be a plain word");
    if (++b->depth > DEEPEST_NESTING) return refuse(b, mark, "the values are nested too deeply");
    node *n = NULL;
    td_status status = add_node(b, mapping ? NODE_MAPPING : NODE_SEQUENCE, mark, &n);
    if (status) return status;
    b->open = n;
    return remember(b, name, n);
}

static int height(const node *n) {
    int most = 0;
    for (const node *c = n->first; c; c = c->next) {
        int h = height(c);
        if (h > most) most = h;
    }
    return n->kind == NODE_SCALAR ? 0 : most + 1;
}

static td_status no_anchor(builder *b, const struct fy_mark *mark, const char *name) {
    char detail[160], hint[HINT_SIZE];
    suggestion near = suggest_for(name);
    for (const anchor *a = b->anchors; a; a = a->next) suggest(&near, a->name);
    snprintf(detail, sizeof detail, "%.60s stands before%s", name, hint_text(&near, "", hint));
    return refuse_at(b, mark->line + 1, mark->column + 1, "no anchor &", detail);
}

static td_status on_alias(builder *b, const struct fy_event *e, const struct fy_mark *name) {
    struct fy_mark star = *name, *mark = &star;  // the mark is that of the name
    star.column--;
    if (wants_key(b)) return refuse(b, mark, "a key must be a plain word");
    const char *text;
    td_status status = token_text(b, e->alias.anchor, mark, &text);
    if (status) return status;
    const anchor *a = b->anchors;
    while (a && strcmp(a->name, text) != 0) a = a->next;
    if (!a) return no_anchor(b, mark, text);
    for (const node *up = b->open; up; up = up->parent)
        if (up == a->at) return refuse(b, mark, "the alias stands within its own anchor");
    if (b->depth + height(a->at) > DEEPEST_NESTING)
        return refuse(b, mark, "the values are nested too deeply");
    node *n = NULL;
    status = add_node(b, a->at->kind, mark, &n);
    if (status) return status;
    n->text = a->at->text, n->quoted = a->at->quoted;
    n->line = a->at->line, n->column = a->at->column;
    return node_copy_children(b->t, a->at, n) ? TD_OK : no_room(b);
}

// ---------------------------------------------------------------- merge keys
static td_status merge_from(builder *b, node *into, const node *from) {
    if (from->kind != NODE_MAPPING)
        return node_error(b->t, from, false, b->err, TD_ERR_PARSE,
                          "a mapping, or a list of mappings, is merged: '<<: *name', where an "
                          "anchor &name stands before");
    for (const node *c = from->first; c; c = c->next) {
        if (node_child(into, c->key)) continue;
        if (into->n_children >= MOST_KEYS)
            return refuse_at(b, into->line, into->column, "the mapping has too many keys", "");
        if (!node_copy(b->t, c, into)) return no_room(b);
    }
    return TD_OK;
}

// "<<: *template", or a list of them: keys that the mapping does not have itself, the first of a list
// before the others. They keep the places where they stand, so that messages show the template.
static td_status merge(builder *b, node *into) {
    node *from = node_child(into, "<<");
    if (!from) return TD_OK;
    const bool list = from->kind == NODE_SEQUENCE;
    td_status status = list ? TD_OK : merge_from(b, into, from);
    for (const node *c = list ? from->first : NULL; c && !status; c = c->next)
        status = merge_from(b, into, c);
    if (!status) node_remove(from);
    return status;
}

static td_status on_end(builder *b) {
    node *ended = b->open;
    b->depth--;
    b->open = ended->parent;
    td_status status = merge(b, ended);
    for (node *c = ended->first; c && !status && ended->kind == NODE_SEQUENCE; c = c->next)
        status = include(b, c);
    return status;
}

static td_status on_event(builder *b, const struct fy_event *e, const struct fy_mark *mark) {
    switch (e->type) {
    case FYET_DOCUMENT_START:
        if (b->document_seen)
            return refuse(b, mark, "a second document begins here; a robot file holds one");
        b->document_seen = true;
        return TD_OK;
    case FYET_SCALAR: return on_scalar(b, e, mark);
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START: return on_start(b, e, mark);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return on_end(b);
    case FYET_ALIAS: return on_alias(b, e, mark ? mark : &(struct fy_mark){0});
    case FYET_STREAM_END: b->ended = true; return TD_OK;
    default: return TD_OK;
    }
}

// ---------------------------------------------------------------- driving libfyaml
static td_status syntax_error(builder *b, struct fy_diag *diag) {
    void *iterator = NULL;
    const struct fy_diag_error *e = fy_diag_errors_iterate(diag, &iterator);
    if (!e || !e->msg) return refuse_at(b, 1, 1, "the text is not well-formed YAML", "");
    return refuse_at(b, e->line, e->column, "not well-formed YAML: ", e->msg);
}

static td_status parse_events(builder *b, struct fy_parser *parser, struct fy_diag *diag) {
    td_status status = TD_OK;
    while (!status && !b->ended) {
        struct fy_event *e = fy_parser_parse(parser);
        if (!e) return syntax_error(b, diag);
        status = on_event(b, e, fy_event_start_mark(e));
        fy_parser_event_free(parser, e);
    }
    return status;
}

static td_status parse_text(builder *b, const char *text, size_t length) {
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    if (!diag) return no_room(b);
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                              FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE,
                                     .diag = diag};
    struct fy_parser *parser = fy_parser_create(&cfg);
    bool ready = parser && fy_parser_set_string(parser, text, length) == 0;
    td_status status = ready ? parse_events(b, parser, diag) : no_room(b);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return status;
}

static td_status parse_document(builder *b, const char *text, size_t length) {
    td_status status = check_text(b, text, length);
    if (!status) status = parse_text(b, text, length);
    if (!status && !b->root) status = refuse_at(b, 1, 1, "the document is empty", "");
    return status;
}

// ---------------------------------------------------------------- documents within documents
static bool is_include(const builder *b, const node *n) {
    const node *under = n->key ? n : n->parent;  // a path, or one of a list
    return b->t->open && b->source >= 0 && n->kind == NODE_SCALAR && under && under->key &&
           strcmp(under->key, "include") == 0 && under->parent == b->root && b->open == b->root;
}

// The number of files ends circles that go by other paths.
static td_status check_circle(const builder *in, const node *n) {
    const char *const *files = in->t->files;
    for (const builder *b = in->outer; b; b = b->outer)
        if (strcmp(files[b->source], files[in->source]) == 0)
            return node_error(in->t, n, false, in->err, TD_ERR_PARSE, "'%.60s' includes itself",
                              n->text);
    return TD_OK;
}

// The path becomes the mapping that stands in the file.
static td_status include(builder *b, node *n) {
    if (!is_include(b, n)) return TD_OK;
    builder in = {.t = b->t, .err = b->err, .outer = b};
    in.anchors = b->anchors, in.n_anchors = b->n_anchors;
    char *text;
    size_t length;
    td_status status = b->t->open(b->t->opener, n, &text, &length, &in.source);
    if (status) return status;
    status = check_circle(&in, n);
    if (!status) status = parse_document(&in, text, length);
    free(text);
    if (status) return status;
    b->anchors = in.anchors, b->n_anchors = in.n_anchors;
    n->kind = in.root->kind, n->text = in.root->text;
    n->line = in.root->line, n->column = in.root->column, n->source = in.source;
    for (node *c = in.root->first, *next; c; c = next) {
        next = c->next;
        node_append(n, c);
    }
    return TD_OK;
}

td_status tree_parse(tree *t, const char *text, size_t length, int source, node **root,
                     td_error *err) {
    builder b = {.t = t, .err = err, .source = source};
    *root = NULL;
    const td_status status = parse_document(&b, text, length);
    if (!status) *root = b.root;
    return status;
}
