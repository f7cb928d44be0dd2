// robot/file_write.c - a tree back to YAML: mappings in block style, lists of plain values in
// brackets.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot/file_tree.h"

typedef struct writer {
    char *text;
    size_t used, size;
    bool failed;
} writer;

static void put_bytes(writer *w, const char *bytes, size_t n) {
    if (w->failed) return;
    if (w->used + n + 1 > w->size) {
        size_t size = 2 * (w->used + n) + 256;
        char *larger = realloc(w->text, size);
        if (!larger) {
            w->failed = true;
            return;
        }
        w->text = larger, w->size = size;
    }
    memcpy(w->text + w->used, bytes, n);
    w->used += n;
    w->text[w->used] = '\0';
}

static void put(writer *w, const char *text) {
    put_bytes(w, text, strlen(text));
}

static void put_indent(writer *w, int indent) {
    for (int i = 0; i < indent; i++) put(w, "  ");
}

// ---------------------------------------------------------------- scalars
// The tree holds valid UTF-8 only.
static unsigned code_point(const unsigned char *c, size_t *bytes) {
    *bytes = c[0] < 0x80 ? 1 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    unsigned value = *bytes == 1 ? c[0] : c[0] & (0x7fu >> *bytes);
    for (size_t i = 1; i < *bytes; i++) value = value << 6 | (c[i] & 0x3fu);
    return value;
}

// Beyond ASCII, what YAML shows as it is; the rest is escaped.
static bool is_shown(unsigned code) {
    return code >= 0xa0 && code != 0x2028 && code != 0x2029 && code != 0xfeff &&
           (code & 0xfffe) != 0xfffe;
}

// May the text stand without quotes? Careful rather than complete.
static bool is_plain(const char *text) {
    size_t length = strlen(text), bytes;
    if (length == 0 || length > 200 || text[length - 1] == ' ') return false;
    bool signed_word =
        (text[0] == '-' || text[0] == '+') && text[1] && text[1] != ' ' && text[1] != '-';
    if (!isalnum((unsigned char)text[0]) && text[0] != '_' && text[0] != '.' && !signed_word)
        return false;
    if (text[0] == '.' && text[1] == '.') return false;
    for (const char *c = text; *c; c += bytes) {
        unsigned code = code_point((const unsigned char *)c, &bytes);
        if (code < 0x80 ? !isalnum((int)code) && !strchr(" _.+-*/^()%", (int)code)
                        : !is_shown(code))
            return false;
    }
    return true;
}

static void put_escape(writer *w, unsigned code) {
    char escape[16];
    if (code == '"' || code == '\\') snprintf(escape, sizeof escape, "\\%c", (char)code);
    else if (code == '\n') snprintf(escape, sizeof escape, "\\n");
    else if (code <= 0xffff) snprintf(escape, sizeof escape, "\\u%04x", code);
    else snprintf(escape, sizeof escape, "\\U%08x", code);
    put(w, escape);
}

static void put_scalar(writer *w, const char *text) {
    if (is_plain(text)) {
        put(w, text);
        return;
    }
    put(w, "\"");
    size_t bytes;
    for (const char *c = text; *c; c += bytes) {
        unsigned code = code_point((const unsigned char *)c, &bytes);
        bool as_is = code < 0x80 ? code >= 0x20 && code != 0x7f && code != '"' && code != '\\'
                                 : is_shown(code);
        if (as_is) put_bytes(w, c, bytes);
        else put_escape(w, code);
    }
    put(w, "\"");
}

// ---------------------------------------------------------------- containers
static void put_value(writer *w, const node *n, int indent);

// Inside brackets everything stays in brackets.
static void put_flow(writer *w, const node *n) {
    if (n->kind == NODE_SCALAR) {
        put_scalar(w, n->text);
        return;
    }
    put(w, n->kind == NODE_MAPPING ? "{" : "[");
    for (const node *c = n->first; c; c = c->next) {
        if (c->key) {
            put_scalar(w, c->key);
            put(w, ": ");
        }
        put_flow(w, c);
        if (c->next) put(w, ", ");
    }
    put(w, n->kind == NODE_MAPPING ? "}" : "]");
}

static bool has_containers(const node *n) {
    for (const node *c = n->first; c; c = c->next)
        if (c->kind != NODE_SCALAR) return true;
    return false;
}

// The first pair follows the "- " or the line break that the caller has written.
static void put_mapping(writer *w, const node *n, int indent) {
    for (const node *c = n->first; c; c = c->next) {
        if (c != n->first) put_indent(w, indent);
        put_scalar(w, c->key);
        put(w, ":");
        put_value(w, c, indent + 1);
    }
}

static void put_value(writer *w, const node *n, int indent) {
    bool flow =
        n->kind == NODE_SCALAR || !n->first || (n->kind == NODE_SEQUENCE && !has_containers(n));
    if (flow) {
        put(w, " ");
        put_flow(w, n);
        put(w, "\n");
        return;
    }
    put(w, "\n");
    if (n->kind == NODE_MAPPING) {
        put_indent(w, indent);
        put_mapping(w, n, indent);
        return;
    }
    for (const node *c = n->first; c; c = c->next) {
        put_indent(w, indent);
        put(w, "- ");
        if (c->kind == NODE_MAPPING && c->first) {
            put_mapping(w, c, indent + 1);
            continue;
        }
        put_flow(w, c);
        put(w, "\n");
    }
}

char *tree_write(const node *root) {
    writer w = {0};
    put(&w, "");
    if (root->kind == NODE_MAPPING && root->first) {
        put_mapping(&w, root, 0);
    } else {
        put_flow(&w, root);
        put(&w, "\n");
    }
    if (!w.failed) return w.text;
    free(w.text);
    return NULL;
}
