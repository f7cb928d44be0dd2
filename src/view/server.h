// view/server.h - the page over HTTP, and pages that talk over WebSockets.
#pragma once

#include <signal.h>

#include "view/live.h"
#include "view/replay.h"

typedef struct server server;

typedef struct server_setup {
    const char *host;   // address of the interface
    int port;           // 0: any that is free
    const char *token;  // letters and digits
    const char *page;   // folder of the page; NULL: there is none
    stage *stage;
    live *
        live;  // of this stage: both are the server's once it is made, which may put others in their place
    const replay *replay;  // instead of them
} server_setup;

// The rest of the setup stays the caller's. NULL on failure.
server *server_create(const server_setup *setup, td_error *err);
int server_port(const server *s);
// Whether an address is one that only this machine can reach.
bool server_is_loopback(const char *host);
// Until *stop is not 0. False: a thread or the service failed.
bool server_run(server *s, const volatile sig_atomic_t *stop);
void server_destroy(server *s);
