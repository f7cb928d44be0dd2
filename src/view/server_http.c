// Requests for files, and who may open a WebSocket.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/page.h"
#include "view/server_inner.h"

static const char headers[] =
    "content-security-policy: default-src 'self'; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; worker-src 'self' blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "referrer-policy: no-referrer\r\n"
    "x-content-type-options: nosniff\r\n"
    "cache-control: no-store\r\n";

static const char no_page[] =
    "<!doctype html><title>tendril view</title><p>The page is not there: in a checkout <code>make "
    "page</code> builds it, <code>--page DIR</code> says where another one is.</p>\n";

// ---------------------------------------------------------------- who asks
// Takes the same time wherever the two begin to differ.
static bool same_text(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    unsigned char differ = n != m;
    for (size_t i = 0; i < n && m > 0; i++) differ |= (unsigned char)(a[i] ^ b[i % m]);
    return !differ;
}

static bool has_token(const server *s, struct lws *wsi) {
    char value[256];
    const char *token = lws_get_urlarg_by_name(wsi, "token=", value, sizeof value);
    return token && same_text(token, s->token);
}

static bool header(struct lws *wsi, enum lws_token_indexes which, char *text, int size) {
    text[0] = '\0';
    return lws_hdr_copy(wsi, text, size, which) > 0;
}

bool server_is_loopback(const char *host) {
    return !strncmp(host, "127.", 4) || !strcmp(host, "::1");
}

// On the loopback interface a page of another name is not ours, wherever that name leads.
static bool is_own_host(const server *s, const char *host) {
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[96];
    if (!server_is_loopback(s->host)) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(own, sizeof own, "%s:%d", names[i], s->port);
        if (!strcmp(own, host)) return true;
    }
    snprintf(own, sizeof own, "%s:%d", s->host, s->port);
    return !strcmp(own, host);
}

static bool is_own_page(struct lws *wsi) {
    char host[256], origin[300], own[300];
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host)) return false;
    snprintf(own, sizeof own, "http://%s", host);
    return header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) && !strcmp(origin, own);
}

// ---------------------------------------------------------------- answers
// The connection is closed after it.
static int refuse(struct lws *wsi, unsigned code, const char *why) {
    lws_return_http_status(wsi, code, why);
    return -1;
}

static int begin_answer(struct lws *wsi, const char *type, size_t length) {
    unsigned char buffer[LWS_PRE + 2048], *start = buffer + LWS_PRE, *at = start;
    unsigned char *end = buffer + sizeof buffer - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, (lws_filepos_t)length, &at, end))
        return -1;
    if (lws_add_http_header_by_name(wsi, (const unsigned char *)"cache-control:",
                                    (const unsigned char *)"no-store", 8, &at, end))
        return -1;
    return lws_finalize_write_http_header(wsi, start, &at, end) ? -1 : 0;
}

static int answer_text(struct lws *wsi, const char *type, const char *text) {
    unsigned char buffer[LWS_PRE + 512];
    size_t n = strlen(text);
    if (n > sizeof buffer - LWS_PRE || begin_answer(wsi, type, n) < 0) return -1;
    memcpy(buffer + LWS_PRE, text, n);
    if (lws_write(wsi, buffer + LWS_PRE, n, LWS_WRITE_HTTP_FINAL) < (int)n) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int serve_file(const server *s, struct lws *wsi, const char *path) {
    char file[1200];
    if (!page_file(s->page, path, file, sizeof file))
        return refuse(wsi, HTTP_STATUS_NOT_FOUND, "no such file");
    int n = lws_serve_http_file(wsi, file, page_type(file), headers, (int)sizeof headers - 1);
    if (n < 0) return -1;
    return n > 0 && lws_http_transaction_completed(wsi) ? -1 : 0;
}

// In pieces, by http_continue.
static int send_bytes(struct lws *wsi, peer *p, const char *type, const uint8_t *bytes, size_t n) {
    p->sending = bytes, p->n_sending = n, p->sent = 0;
    if (begin_answer(wsi, type, n) < 0) return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

int http_send_text(struct lws *wsi, peer *p, char *text) {
    http_forget(p);
    p->body = text;
    if (!text) return -1;
    return send_bytes(wsi, p, "text/plain; charset=utf-8", (const uint8_t *)text, strlen(text));
}

void http_forget(peer *p) {
    if (!p) return;
    free(p->body);
    p->body = NULL, p->n_body = 0, p->sending = NULL;
}

static int serve_replay(const server *s, struct lws *wsi, peer *p) {
    if (!s->replay) return refuse(wsi, HTTP_STATUS_NOT_FOUND, "this is no replay");
    return send_bytes(wsi, p, "application/octet-stream", s->replay->frames, s->replay->bytes);
}

// Read, or sent to be put in its place: that is done when all of it has come.
static int file_asked(const server *s, struct lws *wsi, peer *p) {
    if (!s->live) return refuse(wsi, HTTP_STATUS_NOT_FOUND, "a replay has no robot file");
    if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) <= 0) return file_send(s, wsi, p);
    http_forget(p);
    return is_own_page(wsi) ? 0 : refuse(wsi, HTTP_STATUS_FORBIDDEN, "a page of another origin");
}

int http_request(server *s, struct lws *wsi, peer *p, const char *path) {
    char host[256];
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !is_own_host(s, host))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN, "this is not the address of tendril view");
    bool page = !strcmp(path, "/") || !strcmp(path, "/index.html"), data = !strcmp(path, "/replay");
    bool file = !strcmp(path, "/file");
    if ((page || data || file) && !has_token(s, wsi))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN,
                      "the address must hold the token that tendril view printed");
    if ((data || file) && !p) return -1;
    if (data) return serve_replay(s, wsi, p);
    if (file) return file_asked(s, wsi, p);
    if (s->page) return serve_file(s, wsi, path);
    if (page) return answer_text(wsi, "text/html; charset=utf-8", no_page);
    return refuse(wsi, HTTP_STATUS_NOT_FOUND, "no such file");
}

int http_continue(server *s, struct lws *wsi, peer *p) {
    if (!p->sending) return 0;
    size_t left = p->n_sending - p->sent, n = left < PIECE ? left : PIECE;
    unsigned char *piece = s->buffer + LWS_PRE;
    memcpy(piece, p->sending + p->sent, n);
    enum lws_write_protocol how = n == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP;
    if (lws_write(wsi, piece, n, how) < (int)n) return -1;
    p->sent += n;
    if (p->sent < p->n_sending) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    http_forget(p);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// ---------------------------------------------------------------- WebSockets
static int refuse_upgrade(struct lws *wsi, unsigned code, const char *why) {
    return lws_return_http_status(wsi, code, why) ? -1 : 1;
}

int http_confirm_upgrade(server *s, struct lws *wsi) {
    char path[64], host[256];
    bool named = header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) && !strcmp(path, "/ws");
    if (!named) return refuse_upgrade(wsi, HTTP_STATUS_NOT_FOUND, "the WebSocket is at /ws");
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !is_own_host(s, host))
        return refuse_upgrade(wsi, HTTP_STATUS_FORBIDDEN,
                              "this is not the address of tendril view");
    if (!is_own_page(wsi))
        return refuse_upgrade(wsi, HTTP_STATUS_FORBIDDEN, "a page of another origin");
    if (!has_token(s, wsi)) return refuse_upgrade(wsi, HTTP_STATUS_FORBIDDEN, "the token is wrong");
    if (s->n_peers >= MOST_PAGES)
        return refuse_upgrade(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many pages are open");
    return 0;
}
