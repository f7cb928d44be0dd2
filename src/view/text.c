// view/text.c - see text.h.
#include "view/text.h"

#include <stdlib.h>

json *text_begin(text_writer *w, const char *type) {
    *w = (text_writer){0};
    FILE *out = open_memstream(&w->text, &w->length);
    if (!out) return NULL;
    w->json = json_start(out);
    json_begin_object(&w->json);
    json_put_string(&w->json, "type", type);
    return &w->json;
}

char *text_end(text_writer *w) {
    json_end_object(&w->json);
    bool failed = ferror(w->json.out) != 0;
    failed |= fclose(w->json.out) != 0;
    if (!failed) return w->text;
    free(w->text);
    return NULL;
}

char *text_message(const char *type, const char *message) {
    text_writer w;
    json *j = text_begin(&w, type);
    if (!j) return NULL;
    json_put_string(j, "message", message);
    return text_end(&w);
}

char *text_failure(const char *message, double time) {
    text_writer w;
    json *j = text_begin(&w, "failure");
    if (!j) return NULL;
    json_put_string(j, "message", message);
    json_put_number(j, "time", time);
    return text_end(&w);
}

char *text_inputs(const char *name, const char *yaml) {
    text_writer w;
    json *j = text_begin(&w, "inputs");
    if (!j) return NULL;
    json_put_string(j, "name", name);
    json_put_string(j, "yaml", yaml);
    return text_end(&w);
}
