// tests/view_client.h - starts `tendril view` and talks to it over a socket: as much HTTP and
// WebSocket (RFC 6455) as that takes.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define VIEW_TOKEN "token-of-a-test"
// s: how long a busy machine may keep a test waiting for what must come. Only what fails waits so
// long.
#define VIEW_PATIENCE 60.0

static inline double view_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---------------------------------------------------------------- the program
typedef struct view_server {
    pid_t pid;
    int port;
} view_server;

// `arguments` ends with NULL. port 0: it did not start.
static inline view_server view_start(const char *program, const char *const *arguments) {
    const char *command[16] = {program, "view", "--no-browser", "--token", VIEW_TOKEN};
    for (int i = 0; arguments[i] && i < 10; i++) command[5 + i] = arguments[i];
    view_server s = {0};
    int ends[2];
    if (pipe(ends) != 0) return s;
    s.pid = fork();
    if (s.pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv(program, (char *const *)(size_t)command);
        _exit(127);
    }
    close(ends[1]);
    FILE *out = fdopen(ends[0], "r");
    char line[256] = "";
    if (out && fgets(line, sizeof line, out)) sscanf(line, "http://127.0.0.1:%d/", &s.port);
    if (out) fclose(out);
    return s;
}

// Its exit code after a polite end, -1: it was killed by a signal.
static inline int view_stop(view_server *s) {
    int status = 0;
    kill(s->pid, SIGTERM);
    waitpid(s->pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// ---------------------------------------------------------------- bytes
typedef struct view_client {
    int fd;
    int code;     // of the answer to the request; 0: there was none
    size_t body;  // bytes that the answer said would follow; 0: it did not say
    uint8_t *bytes;
    size_t n, room;    // received, not yet read
    uint8_t *message;  // the last one, with a 0 behind it
    size_t length;
    int kind;  // 1: text, 2: binary, 8: close
    int close_code;
} view_client;

static inline void view_close(view_client *c) {
    if (c->fd >= 0) close(c->fd);
    free(c->bytes);
    free(c->message);
    *c = (view_client){.fd = -1};
}

static inline bool view_fill(view_client *c, double until) {
    double left = until - view_clock();
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    if (c->fd < 0 || left <= 0 || poll(&p, 1, (int)(1000 * left) + 1) <= 0) return false;
    if (c->room < c->n + 65536) {
        c->room = 2 * c->n + 65536;
        c->bytes = realloc(c->bytes, c->room);
        if (!c->bytes) abort();
    }
    ssize_t n = recv(c->fd, c->bytes + c->n, 65536, 0);
    if (n <= 0) return false;
    c->n += (size_t)n;
    return true;
}

static inline bool view_need(view_client *c, size_t n, double until) {
    while (c->n < n)
        if (!view_fill(c, until)) return false;
    return true;
}

static inline void view_drop(view_client *c, size_t n) {
    memmove(c->bytes, c->bytes + n, c->n - n);
    c->n -= n;
}

static inline bool view_write(view_client *c, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    while (n > 0) {
        ssize_t sent = send(c->fd, at, n, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

// ---------------------------------------------------------------- HTTP
static inline size_t view_body(const char *head) {
    unsigned long n = 0;
    for (const char *line = head; line; line = strchr(line + 1, '\n'))
        if (sscanf(line, "\ncontent-length: %lu", &n) == 1) return n;
    return 0;
}

// Sends a request and reads the head of the answer; what follows stays in `bytes`.
static inline view_client view_request(int port, const char *request) {
    view_client c = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(c.fd, (struct sockaddr *)&to, sizeof to) != 0) return c;
    if (!view_write(&c, request, strlen(request))) return c;
    double until = view_clock() + VIEW_PATIENCE;
    for (;;) {
        for (size_t i = 0; i + 4 <= c.n; i++) {
            if (memcmp(c.bytes + i, "\r\n\r\n", 4) != 0) continue;
            c.bytes[i] = 0;
            sscanf((const char *)c.bytes, "HTTP/%*s %d", &c.code);
            c.body = view_body((const char *)c.bytes);
            view_drop(&c, i + 4);
            return c;
        }
        if (!view_fill(&c, until)) return c;
    }
}

// The code of GET path. The body, when asked for, is what came until its end or `most`.
static inline int view_get(int port, const char *path, const char *host, uint8_t *body, size_t most,
                           size_t *length) {
    char request[512], own[64];
    snprintf(own, sizeof own, "127.0.0.1:%d", port);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
             path, host ? host : own);
    view_client c = view_request(port, request);
    int code = c.code;
    while (body && c.n < most && (c.body == 0 || c.n < c.body) &&
           view_fill(&c, view_clock() + VIEW_PATIENCE)) {
    }
    if (body) {
        *length = c.n < most ? c.n : most;
        memcpy(body, c.bytes, *length);
    }
    view_close(&c);
    return code;
}

// ---------------------------------------------------------------- WebSocket
// NULL for `origin` and `host`: those of the server itself; "" for no origin at all.
static inline view_client view_open(int port, const char *token, const char *origin,
                                    const char *host) {
    char request[1024], own[64], from[128] = "";
    snprintf(own, sizeof own, "127.0.0.1:%d", port);
    if (!origin) snprintf(from, sizeof from, "Origin: http://%s\r\n", host ? host : own);
    else if (origin[0]) snprintf(from, sizeof from, "Origin: %s\r\n", origin);
    snprintf(request, sizeof request,
             "GET /ws?token=%s HTTP/1.1\r\nHost: %s\r\n%sUpgrade: websocket\r\n"
             "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
             "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tendril\r\n\r\n",
             token, host ? host : own, from);
    return view_request(port, request);
}

// One frame of this kind (1: text, 2: binary), masked as a client must.
static inline bool view_send_bytes(view_client *c, int kind, const void *bytes, size_t n) {
    static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};
    uint8_t head[8] = {(uint8_t)(0x80 | kind)};
    size_t used = 2;
    head[1] = (uint8_t)(0x80 | (n < 126 ? n : 126));
    if (n >= 126) {
        head[2] = (uint8_t)(n >> 8), head[3] = (uint8_t)n;
        used = 4;
    }
    memcpy(head + used, mask, 4);
    uint8_t *masked = malloc(used + 4 + n);
    if (!masked) abort();
    memcpy(masked, head, used);
    memcpy(masked + used, mask, 4);
    for (size_t i = 0; i < n; i++)
        masked[used + 4 + i] = (uint8_t)(((const uint8_t *)bytes)[i] ^ mask[i % 4]);
    bool ok = view_write(c, masked, used + 4 + n);
    free(masked);
    return ok;
}

static inline bool view_send(view_client *c, const char *text) {
    return view_send_bytes(c, 1, text, strlen(text));
}

// The next message within so many seconds. False: none came, or the socket is closed.
static inline bool view_next(view_client *c, double seconds) {
    double until = view_clock() + seconds;
    if (!view_need(c, 2, until)) return false;
    size_t n = c->bytes[1] & 127, head = n < 126 ? 2 : n == 126 ? 4 : 10;
    if (!view_need(c, head, until)) return false;
    if (head > 2) {
        n = 0;
        for (size_t i = 2; i < head; i++) n = n << 8 | c->bytes[i];
    }
    if (!view_need(c, head + n, until)) return false;
    c->kind = c->bytes[0] & 15;
    free(c->message);
    c->message = malloc(n + 1);
    if (!c->message) abort();
    memcpy(c->message, c->bytes + head, n);
    c->message[n] = 0;
    c->length = n;
    if (c->kind == 8 && n >= 2) c->close_code = c->message[0] << 8 | c->message[1];
    view_drop(c, head + n);
    return true;
}

// Reads on until a text of this type that holds these words.
static inline bool view_wait(view_client *c, const char *type, const char *words, double seconds) {
    char head[64];
    snprintf(head, sizeof head, "\"type\": \"%s\"", type);
    for (double until = view_clock() + seconds; view_clock() < until;) {
        if (!view_next(c, until - view_clock())) return false;
        const char *text = (const char *)c->message;
        if (c->kind == 1 && strstr(text, head) && strstr(text, words)) return true;
    }
    return false;
}

static inline bool view_wait_frame(view_client *c, double seconds) {
    for (double until = view_clock() + seconds; view_clock() < until;) {
        if (!view_next(c, until - view_clock())) return false;
        if (c->kind == 2) return true;
    }
    return false;
}
