// view/server_inner.h - what the server holds. Included only by src/view/server*.c, which alone
// know libwebsockets.
#pragma once

#include <libwebsockets.h>

#include "io/clock.h"
#include "view/hello.h"
#include "view/server.h"

enum {
    MOST_PAGES = 64,
    MOST_CALLERS = 128,  // connections that have not asked for anything yet
    RATE = 240,          // messages per second, and as many at once
    PIECE = 64 << 10,    // bytes of an answer in one go
    FILE_MOST = 1 << 20  // bytes of a robot file
};

// One page, or one request for a file: libwebsockets keeps one for each connection.
typedef struct peer {
    struct lws *wsi;
    struct peer *next;  // pages, oldest first
    unsigned long id;
    unsigned long frame, text;  // last ones sent
    unsigned long told;         // version of the last hello
    bool told_driving;
    int told_watchers;
    bool status_due;
    double credit, credit_at;  // messages that it may send
    char *answer;              // waits to be sent; one at a time
    char received[MESSAGE_MOST];
    size_t n_received;
    char *body;  // of a request that comes, or of its answer; NULL: none
    size_t n_body;
    const uint8_t *sending;  // the answer; NULL: there is none to go on with
    size_t n_sending, sent;  // bytes
} peer;

struct server {
    struct lws_context *context;
    const char *host, *token, *page;
    int port;
    stage *stage;
    live *live;
    const replay *replay;
    live_facts facts;
    int opened;  // robots that came in the place of the first
    peer *peers;
    int n_peers;
    struct lws *callers[MOST_CALLERS];  // oldest first
    int n_callers;
    unsigned long last_id;
    unsigned long driver;  // id; 0: nobody
    lws_sorted_usec_list_t timer;
    double cpu, cpu_seconds, cpu_at;
    unsigned char *buffer;  // LWS_PRE and a frame or a piece
};

// server.c
void server_notify(void *context);
void wake_pages(server *s);

// server_callers.c
void caller_came(server *s, struct lws *wsi);
void caller_asked(server *s, struct lws *wsi);  // or is gone

// server_http.c
int http_request(server *s, struct lws *wsi, peer *p, const char *path);
int http_continue(server *s, struct lws *wsi, peer *p);
int http_confirm_upgrade(server *s, struct lws *wsi);
// Takes `text` (malloc), and sends it as far as it can.
int http_send_text(struct lws *wsi, peer *p, char *text);
void http_forget(peer *p);  // what was received or is sent

// server_file.c
int file_send(const server *s, struct lws *wsi, peer *p);
int file_receive(struct lws *wsi, peer *p, const char *bytes, size_t n);
int file_open(server *s, struct lws *wsi, peer *p);  // all of it has come

// server_pages.c
void page_open(server *s, struct lws *wsi, peer *p);
void page_close(server *s, peer *p);
int page_receive(server *s, peer *p, const char *bytes, size_t n);
int page_write(server *s, peer *p);
