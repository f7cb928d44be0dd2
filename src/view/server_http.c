// Requests for files, and who may open a WebSocket.
#include <stdio.h>
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

static int serve_replay(server *s, struct lws *wsi, peer *p) {
    if (!p) return -1;
    if (!s->replay) return refuse(wsi, HTTP_STATUS_NOT_FOUND, "this is no replay");
    p->replay_at = 0;
    if (begin_answer(wsi, "application/octet-stream", s->replay->bytes) < 0) return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

int http_request(server *s, struct lws *wsi, peer *p, const char *path) {
    char host[256];
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !is_own_host(s, host))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN, "this is not the address of tendril view");
    bool page = !strcmp(path, "/") || !strcmp(path, "/index.html"), data = !strcmp(path, "/replay");
    if ((page || data) && !has_token(s, wsi))
        return refuse(wsi, HTTP_STATUS_FORBIDDEN,
                      "the address must hold the token that tendril view printed");
    if (data) return serve_replay(s, wsi, p);
    if (s->page) return serve_file(s, wsi, path);
    if (page) return answer_text(wsi, "text/html; charset=utf-8", no_page);
    return refuse(wsi, HTTP_STATUS_NOT_FOUND, "no such file");
}

int http_continue(server *s, struct lws *wsi, peer *p) {
    if (!s->replay || p->replay_at >= s->replay->bytes) return 0;
    size_t left = s->replay->bytes - p->replay_at, n = left < PIECE ? left : PIECE;
    unsigned char *piece = s->buffer + LWS_PRE;
    memcpy(piece, s->replay->frames + p->replay_at, n);
    enum lws_write_protocol how = n == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP;
    if (lws_write(wsi, piece, n, how) < (int)n) return -1;
    p->replay_at += n;
    if (p->replay_at == s->replay->bytes) return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

// ---------------------------------------------------------------- WebSockets
static int refuse_upgrade(struct lws *wsi, unsigned code, const char *why) {
    return lws_return_http_status(wsi, code, why) ? -1 : 1;
}

int http_confirm_upgrade(server *s, struct lws *wsi) {
    char path[64], host[256], origin[300], own[300];
    bool named = header(wsi, WSI_TOKEN_GET_URI, path, sizeof path) && !strcmp(path, "/ws");
    if (!named) return refuse_upgrade(wsi, HTTP_STATUS_NOT_FOUND, "the WebSocket is at /ws");
    if (!header(wsi, WSI_TOKEN_HOST, host, sizeof host) || !is_own_host(s, host))
        return refuse_upgrade(wsi, HTTP_STATUS_FORBIDDEN,
                              "this is not the address of tendril view");
    snprintf(own, sizeof own, "http://%s", host);
    if (!header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin) || strcmp(origin, own) != 0)
        return refuse_upgrade(wsi, HTTP_STATUS_FORBIDDEN, "a page of another origin");
    if (!has_token(s, wsi)) return refuse_upgrade(wsi, HTTP_STATUS_FORBIDDEN, "the token is wrong");
    if (s->n_peers >= MOST_PAGES)
        return refuse_upgrade(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, "too many pages are open");
    return 0;
}
