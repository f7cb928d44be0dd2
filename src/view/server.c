// view/server.c - see server.h.
#include "view/server.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "view/frame.h"
#include "view/server_inner.h"

#define STATUS_SECONDS 0.25

void wake_pages(server *s) {
    for (peer *p = s->peers; p; p = p->next) lws_callback_on_writable(p->wsi);
}

// ---------------------------------------------------------------- what libwebsockets tells
static int serve(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t length) {
    server *s = lws_context_user(lws_get_context(wsi));
    peer *p = user;
    switch (reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: caller_came(s, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: caller_asked(s, wsi); return 0;
    case LWS_CALLBACK_HTTP: caller_asked(s, wsi); return http_request(s, wsi, p, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return http_continue(s, wsi, p);
    case LWS_CALLBACK_HTTP_BODY: return file_receive(wsi, p, in, length);
    case LWS_CALLBACK_HTTP_BODY_COMPLETION: return file_open(s, wsi, p);
    case LWS_CALLBACK_CLOSED_HTTP: http_forget(p); return 0;
    case LWS_CALLBACK_HTTP_FILE_COMPLETION: return lws_http_transaction_completed(wsi) ? -1 : 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        caller_asked(s, wsi);
        return http_confirm_upgrade(s, wsi);
    case LWS_CALLBACK_ESTABLISHED: page_open(s, wsi, p); return 0;
    case LWS_CALLBACK_CLOSED: page_close(s, p); return 0;
    case LWS_CALLBACK_RECEIVE: return page_receive(s, p, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE: return page_write(s, p);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: wake_pages(s); return 0;
    default: return 0;
    }
}

static const struct lws_protocols protocols[] = {
    {.name = "tendril",
     .callback = serve,
     .per_session_data_size = sizeof(peer),
     .rx_buffer_size = MESSAGE_MOST},
    {0},
};

static void every_quarter(lws_sorted_usec_list_t *timer) {
    server *s = lws_container_of(timer, server, timer);
    double now = wall_clock(), cpu = processor_time();
    if (now > s->cpu_at) s->cpu = (cpu - s->cpu_seconds) / (now - s->cpu_at);
    s->cpu_at = now;
    s->cpu_seconds = cpu;
    for (peer *p = s->peers; p; p = p->next) p->status_due = true;
    wake_pages(s);
    lws_sul_schedule(s->context, 0, timer, every_quarter,
                     (lws_usec_t)(STATUS_SECONDS * LWS_US_PER_SEC));
}

// ---------------------------------------------------------------- made and freed
static bool reserve(server *s) {
    size_t bytes = s->live ? frame_most_bytes(live_scene(s->live)) : 0;
    if (bytes < PIECE) bytes = PIECE;
    s->buffer = malloc(LWS_PRE + bytes);
    return s->buffer && (!s->live || live_facts_create(s->live, &s->facts));
}

// Tried before libwebsockets does, which forgets some memory where it cannot.
static bool can_listen(const char *host, int port, char *why, size_t size) {
    char text[16];
    snprintf(text, sizeof text, "%d", port);
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(host, text, &hints, &found) != 0) {
        snprintf(why, size, "not a numeric address");
        return false;
    }
    int fd = socket(found->ai_family, SOCK_STREAM, 0), on = 1;
    bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
              bind(fd, found->ai_addr, found->ai_addrlen) == 0 && listen(fd, 1) == 0;
    if (!ok) snprintf(why, size, "%s", strerror(errno));
    if (fd >= 0) close(fd);
    freeaddrinfo(found);
    return ok;
}

static bool listen_at(server *s, const server_setup *setup) {
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = setup->port;
    info.iface = setup->host;
    info.protocols = protocols;
    info.user = s;
    info.gid = (gid_t)-1, info.uid = (uid_t)-1;
    info.server_string = "tendril";
    info.fd_limit_per_thread = 256;
    info.timeout_secs = 10;
    info.options =
        LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND | LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME;
    if (!strchr(setup->host, ':')) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
    lws_set_log_level(0, NULL);
    s->context = lws_create_context(&info);
    struct lws_vhost *vhost = s->context ? lws_get_vhost_by_name(s->context, "default") : NULL;
    if (!vhost) return false;
    s->port = lws_get_vhost_listen_port(vhost);
    return s->port > 0;
}

server *server_create(const server_setup *setup, td_error *err) {
    char why[128] = "the server did not start";
    server *s = calloc(1, sizeof *s);
    if (s) {
        s->host = setup->host, s->token = setup->token, s->page = setup->page;
        s->stage = setup->stage, s->live = setup->live, s->replay = setup->replay;
    }
    if (!s || !reserve(s)) {
        error_set(err, TD_ERR_MEMORY, "view", "out of memory");
    } else if (!can_listen(setup->host, setup->port, why, sizeof why) || !listen_at(s, setup)) {
        error_set(err, TD_ERR_FILE, "view", "cannot listen at %s, port %d: %s%s", setup->host,
                  setup->port, why,
                  setup->port ? "; without --port any port that is free is taken" : "");
    } else {
        return s;
    }
    if (s) s->stage = NULL, s->live = NULL;  // still the caller's
    server_destroy(s);
    return NULL;
}

int server_port(const server *s) {
    return s->port;
}

void server_notify(void *context) {
    lws_cancel_service(context);
}

bool server_run(server *s, const volatile sig_atomic_t *stop) {
    if (s->live && !live_start(s->live, server_notify, s->context)) return false;
    s->cpu_at = wall_clock();
    s->cpu_seconds = processor_time();
    every_quarter(&s->timer);
    int n = 0;
    while (!*stop && n >= 0) n = lws_service(s->context, 0);
    if (s->live) live_stop(s->live);
    return n >= 0;
}

void server_destroy(server *s) {
    if (!s) return;
    if (s->context) lws_context_destroy(s->context);
    live_facts_destroy(&s->facts);
    live_destroy(s->live);
    stage_destroy(s->stage);
    free(s->buffer);
    free(s);
}
