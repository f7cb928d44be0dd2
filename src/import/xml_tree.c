// import/xml_tree.c - what needs no parser: see xml.h.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/xml_inner.h"

void *xml_take(xml_file *file, size_t bytes) {
    xml_block *b = calloc(1, sizeof *b + bytes);
    if (!b) return NULL;
    b->next = file->blocks;
    file->blocks = b;
    return b->data;
}

char *xml_text(xml_file *file, const char *text) {
    char *out = xml_take(file, strlen(text) + 1);
    return out ? strcpy(out, text) : NULL;
}

void xml_free(xml_file *file) {
    for (xml_block *b = file->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    file->blocks = NULL, file->root = NULL;
}

td_status xml_error(const xml_file *file, const xml_node *at, td_error *err, const char *format,
                    ...) {
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    error_set(err, TD_ERR_PARSE, NULL, "%s", message);
    if (!err) return TD_ERR_PARSE;
    err->line = at->line, err->column = at->column;
    snprintf(err->where, sizeof err->where, "%.150s:%d:%d", file->path, at->line, at->column);
    return TD_ERR_PARSE;
}

xml_node *xml_child(const xml_node *of, const char *name) {
    for (xml_node *c = of->first; c; c = c->next)
        if (strcmp(c->name, name) == 0) {
            c->read = true;
            return c;
        }
    return NULL;
}

xml_node *xml_next(const xml_node *after) {
    for (xml_node *c = after->next; c; c = c->next)
        if (strcmp(c->name, after->name) == 0) {
            c->read = true;
            return c;
        }
    return NULL;
}

xml_attribute *xml_attribute_of(const xml_node *of, const char *name) {
    for (xml_attribute *a = of->attributes; a; a = a->next)
        if (strcmp(a->name, name) == 0) {
            a->read = true;
            return a;
        }
    return NULL;
}
