// The robot file: its text for the page, and a text of the page in its place.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/frame.h"
#include "view/server_inner.h"
#include "view/text.h"

int file_send(const server *s, struct lws *wsi, peer *p) {
    return http_send_text(wsi, p, strdup(s->stage->source));
}

int file_receive(struct lws *wsi, peer *p, const char *bytes, size_t n) {
    if (!p || p->n_body + n > FILE_MOST) {
        lws_return_http_status(wsi, HTTP_STATUS_REQ_ENTITY_TOO_LARGE,
                               "a robot file has at most 1 MiB");
        return -1;
    }
    char *larger = realloc(p->body, p->n_body + n + 1);
    if (!larger) return -1;
    memcpy(larger + p->n_body, bytes, n);
    p->body = larger;
    p->n_body += n;
    p->body[p->n_body] = '\0';
    return 0;
}

// ---------------------------------------------------------------- in the place of the other
// The name that the page gives, in the folder of the file that was there: what it includes is found from there.
static void path_of(const server *s, struct lws *wsi, char *path, size_t size) {
    const char *before = s->stage->path, *slash = strrchr(before, '/');
    char given[160];
    const char *name = lws_get_urlarg_by_name(wsi, "name=", given, sizeof given);
    const char *last = name ? strrchr(name, '/') : NULL;
    if (last) name = last + 1;
    if (!name || !name[0]) name = slash ? slash + 1 : before;
    snprintf(path, size, "%.*s%s", slash ? (int)(slash + 1 - before) : 0, before, name);
}

// Pages hear of it as of the first.
static bool take_over(server *s, stage *fresh, live *begun, td_error *err) {
    const size_t bytes = frame_most_bytes(live_scene(begun));
    unsigned char *buffer = malloc(LWS_PRE + (bytes < PIECE ? PIECE : bytes));
    live_facts facts;
    if (!buffer || !live_facts_create(begun, &facts)) {
        free(buffer);
        error_set(err, TD_ERR_MEMORY, fresh->path, "out of memory");
        return false;
    }
    live_facts_destroy(&s->facts);
    live_destroy(s->live);
    stage_destroy(s->stage);
    free(s->buffer);
    s->facts = facts, s->live = begun, s->stage = fresh, s->buffer = buffer;
    s->opened++;
    for (peer *p = s->peers; p; p = p->next) {
        p->frame = p->told = 0;
        p->text = live_text_now(begun);
    }
    if (live_start(begun, server_notify, s->context)) return true;
    error_set(err, TD_ERR_MEMORY, fresh->path, "there is no thread for the solver");
    return false;
}

// A file may include any other of this machine, and a message may quote it.
static bool open_text(server *s, const char *path, const char *text, td_error *err) {
    if (!server_is_loopback(s->host)) {
        error_set(err, TD_ERR_UNSUPPORTED, path,
                  "not taken where other machines can reach the program");
        return false;
    }
    stage *fresh = stage_parse(path, text, err);
    live *begun = fresh ? live_create(fresh, true, err) : NULL;
    if (!begun) {
        stage_destroy(fresh);
        return false;
    }
    if (take_over(s, fresh, begun, err)) return true;
    if (s->live != begun) live_destroy(begun), stage_destroy(fresh);
    return false;
}

int file_open(server *s, struct lws *wsi, peer *p) {
    td_error err = {0};
    char path[1200], why[sizeof err.where + sizeof err.message + 4];
    if (!p || !s->live) return -1;
    path_of(s, wsi, path, sizeof path);
    if (open_text(s, path, p->body ? p->body : "", &err))
        return http_send_text(wsi, p, text_message("opened", ""));
    snprintf(why, sizeof why, "%s%s%s", err.where, err.where[0] ? ": " : "", err.message);
    return http_send_text(wsi, p, text_message("refused", why));
}
