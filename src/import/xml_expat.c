// import/xml_expat.c - from XML text to a tree, through the events of expat; nothing else knows expat.
#include <expat.h>
#include <stdio.h>

#include "base/error.h"
#include "import/xml_inner.h"

typedef struct builder {
    XML_Parser parser;
    xml_file *file;
    td_error *err;
    xml_node *open;
    int depth, n;
    td_status status;
} builder;

static xml_node here(const builder *b) {
    return (xml_node){.line = (int)XML_GetCurrentLineNumber(b->parser),
                      .column = (int)XML_GetCurrentColumnNumber(b->parser) + 1};
}

static void refuse(builder *b, const char *message) {
    if (b->status) return;
    const xml_node at = here(b);
    b->status = xml_error(b->file, &at, b->err, "%s", message);
    XML_StopParser(b->parser, XML_FALSE);
}

static bool add_attributes(builder *b, xml_node *to, const char **pairs) {
    xml_attribute **last = &to->attributes;
    for (; *pairs; pairs += 2) {
        xml_attribute *a = xml_take(b->file, sizeof *a);
        if (!a) return false;
        a->name = xml_text(b->file, pairs[0]), a->value = xml_text(b->file, pairs[1]);
        if (!a->name || !a->value) return false;
        *last = a;
        last = &a->next;
    }
    return true;
}

static void started(void *context, const char *name, const char **attributes) {
    builder *b = context;
    if (b->status) return;
    if (++b->depth > DEEPEST_ELEMENT || ++b->n > MOST_ELEMENTS) {
        refuse(b, "more elements, or deeper ones, than a robot has");
        return;
    }
    xml_node *n = xml_take(b->file, sizeof *n);
    if (n) {
        *n = here(b);
        n->name = xml_text(b->file, name);
    }
    if (!n || !n->name || !add_attributes(b, n, attributes)) {
        b->status = error_set(b->err, TD_ERR_MEMORY, b->file->path, "out of memory");
        XML_StopParser(b->parser, XML_FALSE);
        return;
    }
    n->parent = b->open;
    if (!b->open) b->file->root = n;
    else if (b->open->last) b->open->last->next = n;
    else b->open->first = n;
    if (b->open) b->open->last = n;
    b->open = n;
}

static void ended(void *context, const char *name) {
    builder *b = context;
    (void)name;
    if (b->status) return;
    b->depth--;
    b->open = b->open->parent;
}

static void typed(void *context, const char *name, const char *system, const char *public,
                  int internal) {
    (void)name, (void)system, (void)public, (void)internal;
    refuse(context, "a document type, and the entities that it may define, are not read");
}

td_status xml_read(xml_file *file, const char *path, const char *text, size_t length,
                   td_error *err) {
    *file = (xml_file){.path = path};
    if (length > LARGEST_XML)
        return error_set(err, TD_ERR_PARSE, path, "%zu bytes: a robot has at most %u", length,
                         LARGEST_XML);
    builder b = {.file = file, .err = err, .parser = XML_ParserCreate(NULL)};
    if (!b.parser) return error_set(err, TD_ERR_MEMORY, path, "out of memory");
    XML_SetUserData(b.parser, &b);
    XML_SetElementHandler(b.parser, started, ended);
    XML_SetStartDoctypeDeclHandler(b.parser, typed);
    if (XML_Parse(b.parser, text, (int)length, XML_TRUE) == XML_STATUS_ERROR)
        refuse(&b, XML_ErrorString(XML_GetErrorCode(b.parser)));
    XML_ParserFree(b.parser);
    return b.status;
}
